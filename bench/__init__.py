"""`make bench`: speed as ratios to peers that are measured in the same run."""
