"""Publish a finished contest as an archive, and verify an archive."""
