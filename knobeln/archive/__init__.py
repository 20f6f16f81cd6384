"""Publish a finished contest as an archive, verify an archive, and show its games again."""
