"""What a run computes: the configuration checked, the plan, the digests of what it uses."""
