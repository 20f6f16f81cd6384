"""Letters in, letters out: intake, the mail commands, the organizer's actions, delivery."""
