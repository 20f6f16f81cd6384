"""What all tests share: how many examples hypothesis tries."""

from hypothesis import settings

# `make fuzz` takes this one: some minutes for each test that is marked `fuzz`.
settings.register_profile("fuzz", max_examples=5_000, deadline=None)
