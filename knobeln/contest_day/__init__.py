"""The contest day: run it with retries, rehearse it, publish and verify it."""
