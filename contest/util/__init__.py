"""Techniques that know nothing of contests: files and folders, texts, the clock, the log,
plug-ins."""
