"""`make bench`: speed as ratios to peers in the same run. Also the made-up fields that tests play with."""
