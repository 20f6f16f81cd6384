"""What teams read: one table of preferences, one template per mail."""
