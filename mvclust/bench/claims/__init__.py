"""What the papers claim, tested: kinds of tests, and the ledger of their verdicts."""
