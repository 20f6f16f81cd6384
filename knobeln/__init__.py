"""knobeln: a contest server that lives in a mailbox. The core; imports none of our other packages."""

__version__ = "0.1.0"
