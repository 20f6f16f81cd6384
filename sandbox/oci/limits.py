"""The limits of an image."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.limits import MB


@dataclass(frozen=True)
class OciLimits:
    """Every limit holds for the complete image."""

    archive_bytes: int = 512 * MB  # as the team sent it
    unpacked_bytes: int = 1_024 * MB  # of all layers together, and of an archive that came gzipped
    entries: int = 100_000  # files, folders and links of all layers together
    layers: int = 128
    kept_bytes: int = 10 * 1_024 * MB  # of all unpacked images in the cache; the oldest are removed beyond it
