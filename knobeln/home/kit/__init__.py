"""Files that only the software kits have: they run on teams' computers, with Python's standard
library."""
