"""A season: several tournaments one after the other, by their dates alone."""

from __future__ import annotations
