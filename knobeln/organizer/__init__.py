"""The organizer's work beside the contest day: programs by hand, twins, backups."""
