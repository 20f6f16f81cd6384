"""How large an image may be."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024


@dataclass(frozen=True)
class OciLimits:
    """Bytes and numbers; every limit holds for the whole image."""

    archive_bytes: int = 512 * MB  # as it was sent
    unpacked_bytes: int = 1_024 * MB  # of all layers together, and of an archive that came gzipped
    entries: int = 100_000  # files, folders and links of all layers together
    layers: int = 128
    kept_bytes: int = 10 * 1_024 * MB  # of all unpacked images in the cache; beyond it old ones are removed
