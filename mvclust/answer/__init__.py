"""From partitions to an answer on samples: how sure labels are, and what sets clusters apart."""
