"""knobeln: a contest server that lives in a mailbox. The program: what a person or systemd
starts."""
