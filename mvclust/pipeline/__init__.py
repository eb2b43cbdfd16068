"""From declared experiments to a table of runs, and from runs to tuned results."""
