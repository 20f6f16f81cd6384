"""Letters in, letters out: intake, the mail commands, delivery."""
