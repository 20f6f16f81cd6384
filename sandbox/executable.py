"""Programs that were built: folders, images, and those whose time is counted; read them from the
store.

A program with which our engine fails again and again is set aside: it is not asked any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from contest.games.game import TextProtocol, Words
from contest.language import gettext
from sandbox.fuel.program import FuelProgram, is_fuel_program
from sandbox.images.oci_image import OciImage, image_cache
from sandbox.players import AnswerFault, AnswerFaultKind, Player
from sandbox.program_folder import ProgramFolder

ASIDE = b'{"aside": true}'
"""What a runner gets in place of the image of a program that is set aside."""
ASIDE_DIGEST = hashlib.sha256(ASIDE).hexdigest()


def without(images: Mapping[str, bytes], aside: Collection[str]) -> Mapping[str, bytes]:
    """Return the images by digest, with ASIDE in place of those that are set aside."""
    return {digest: ASIDE if digest in aside else image for digest, image in images.items()}


@dataclass(frozen=True)
class SetAside:
    """What ASIDE is read as."""

    digest: str = ASIDE_DIGEST

    def to_bytes(self) -> bytes:
        return ASIDE


@dataclass(frozen=True)
class AsidePlayer(Player):
    """The player of a program that is set aside: it is not asked, and only fails."""

    protocol: TextProtocol

    def move(self, question: Words) -> AnswerFault:
        sentence = gettext(
            "our engine failed again and again with this program, so it is not asked any more; this"
            " is not said to be its mistake"
        )
        return AnswerFault(AnswerFaultKind.ASIDE, sentence)


Executable = ProgramFolder | OciImage | FuelProgram | SetAside


def player_from_bytes(raw: bytes) -> Executable:
    """Read what `to_bytes` of any Executable wrote; of an image whether it is in the cache is not
    checked.

    Raises ValueError for any other bytes.
    """
    facts = json.loads(raw)
    if not isinstance(facts, dict):
        raise ValueError("no program")
    if is_fuel_program(facts):
        return FuelProgram.from_facts(facts)
    if "aside" in facts:
        return SetAside()
    if "digest" in facts:
        return OciImage.from_bytes(raw, image_cache())
    return ProgramFolder.from_bytes(raw)


def is_counted(raw: bytes) -> bool:
    """Return whether these are the bytes of a FuelProgram. Raises ValueError for bytes of no
    Executable."""
    facts = json.loads(raw)
    return isinstance(facts, dict) and is_fuel_program(facts)
