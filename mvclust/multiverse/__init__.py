"""What a paper leaves open, varied: readings of its rows, and the control against luck."""
