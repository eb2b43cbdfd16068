"""The clustering methods, one module each."""
