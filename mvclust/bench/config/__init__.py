"""What the YAML files of a run say: typed records, where each key is, and what is wrong."""
