"""From a mailed program to an image for the contest machine, and the facts of its report."""
