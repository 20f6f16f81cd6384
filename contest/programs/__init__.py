"""Programs of several files: how they are unpacked, and with which of their files they start."""
