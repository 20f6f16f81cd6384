"""The contest day: run it with retries, rehearse it, show it step by step, and the
demonstration."""
