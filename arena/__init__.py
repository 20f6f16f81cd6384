"""Games outside the contest: practice against other programs, and the ladder."""
