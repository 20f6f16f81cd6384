"""`knobeln doctor`: what a host, a mailbox and a contest need."""
