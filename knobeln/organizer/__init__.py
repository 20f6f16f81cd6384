"""The organizer's work beside the contest day: class lists, marks, programs by hand, twins,
backups."""
