"""What a paper leaves open, varied: which protocols give its rows, with controls."""
