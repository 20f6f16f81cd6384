"""The core of knobeln: model, settings, formats and games. It imports no other package of ours."""

__version__ = "0.2.0"
