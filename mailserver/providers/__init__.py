"""Finds the servers of an ordinary mailbox, and knows what the usual providers want."""
