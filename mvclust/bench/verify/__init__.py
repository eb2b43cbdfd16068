"""Finished runs: cells, fits and pages made again and compared."""
