"""The core of knobeln: model, settings, games, store and archive. It imports no other package of
ours."""

__version__ = "0.2.0"
