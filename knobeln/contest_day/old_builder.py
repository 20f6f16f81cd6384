"""The methods of `compiler.builders.ProgramBuilder` that publishing and verifying need."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from compiler.build_result import BuildResult, Serializable, without_secret
from compiler.builders import decoded, rebuilder_of
from compiler.source import Program, normalise, strip_secret
from compiler.uploaded_files import take_apart
from contest.config.settings import Settings
from contest.file_names import is_archive
from contest.games.base import MACHINE
from contest.games.hog import HogEntry
from contest.games.registry import game_of
from contest.protocols import RunnerFactory
from sandbox.sandbox import Sandbox
from sandbox.vm.image import Image
from sandbox.vm.translation import translations

MAX_PUBLISHED_NAME = 57  # characters of a file's name before `.sha256`


class Builder:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._is_machine = game_of(settings.game, settings.programs).info.play == MACHINE
        self._rebuild = rebuilder_of(settings)

    def rebuild(self, files: Mapping[str, bytes], text: str) -> BuildResult[Serializable]:
        return self._rebuild(files, text)

    def load(self, raw: bytes) -> Any:
        return Image.from_bytes(raw) if self._is_machine else HogEntry.from_bytes(raw)

    def prepare(self, image: Any) -> None:
        if self._is_machine:
            translations().add(image, Sandbox(self._settings.jail))

    def published_files(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        if self._is_machine:
            return {name: strip_secret(decoded(data)).encode() for name, data in files.items()}
        return dict(
            (f"{name[:MAX_PUBLISHED_NAME]}.sha256", f"{hashlib.sha256(data).hexdigest()}\n".encode())
            if is_archive(name)
            else (name, without_secret(data))
            for name, data in files.items()
        )

    def description(self, files: Mapping[str, bytes], text: str) -> str:
        if not self._is_machine:
            return take_apart(files, text).description
        if len(files) != 1:
            raise ValueError(f"has {len(files)} files; a program has one")
        (source,) = files.values()
        return "\n".join([*Program(normalise(decoded(source))).description, ""])


def builder_of(settings: Settings, open_runner: RunnerFactory) -> Builder:
    return Builder(settings)
