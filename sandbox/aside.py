"""A program that is set aside, because our engine fails with it again and again: it is not asked any more."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

ASIDE = b'{"aside": true}'
"""What a runner gets in place of the image of such a program."""
ASIDE_DIGEST = hashlib.sha256(ASIDE).hexdigest()


def without(images: Mapping[str, bytes], aside: Collection[str]) -> Mapping[str, bytes]:
    """The images by digest, with ASIDE in place of those that are set aside."""
    return {digest: ASIDE if digest in aside else image for digest, image in images.items()}


@dataclass(frozen=True)
class SetAside:
    """What `sandbox.executable` reads from ASIDE."""

    digest: str = ASIDE_DIGEST

    def held(self) -> AbstractContextManager[None]:
        return nullcontext()

    def to_bytes(self) -> bytes:
        return ASIDE
