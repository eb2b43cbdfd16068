"""One fit: its masks, its views, its labels, its place in a journal."""
