"""The trust boundary, reviewed alone: the contest machine, and the jail for compilers."""
