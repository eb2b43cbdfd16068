"""What a run leaves beside its numbers: logs, progress, cost, owner, provenance, manifest."""
