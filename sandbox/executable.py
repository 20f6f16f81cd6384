"""Players as the store keeps them: programs of any language, unpacked images, images by name."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from sandbox.oci.engine import Engine, find_engine
from sandbox.oci.image import OciImage, image_cache
from sandbox.oci.named import NamedImage
from sandbox.program_folder import Executable, ProgramFolder


def player_from_bytes(raw: bytes, images: Path | None = None) -> Executable:
    """What `to_bytes` of any of them wrote; `images`: where images lie unpacked, usually `image_cache()`.

    Whether an image lies there is not looked at. Raises ValueError for anything else, ToolMissing where an
    image by name finds no engine.
    """
    facts = json.loads(raw)
    if not isinstance(facts, dict):
        raise ValueError("no player")
    if "identity" in facts:
        return NamedImage.from_bytes(raw, usual_engine())
    if "digest" in facts:
        return OciImage.from_bytes(raw, images or image_cache())
    return ProgramFolder.from_bytes(raw)


@cache
def usual_engine() -> Engine:
    """The first that works here, looked for once. Raises ToolMissing."""
    return find_engine()
