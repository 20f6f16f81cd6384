"""Units for systemd, and how they are installed: `knobeln@CONTEST` for each contest of a host."""
