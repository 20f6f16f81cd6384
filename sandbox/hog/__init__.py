"""The exact win rates of Hog strategies, computed by a small C program of our own."""

from sandbox.hog.solver import win_rates

__all__ = ["win_rates"]
