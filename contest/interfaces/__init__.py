"""By what the parts of the program meet: protocols, and the events of the contest day."""
