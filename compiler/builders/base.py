"""The protocol of a builder, which turns the submissions for one kind of play into images."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from compiler.uploaded_files import take_apart
from contest.config.settings import Settings
from contest.interfaces.protocols import (
    BuildResult,
    Images,
    RunnerFactory,
    Serializable,
    SparringOpponents,
)
from contest.mail.sent_files import without_secret
from contest.seeds import Seeds, seed_from
from contest.util.program_files import is_archive

MAX_PUBLISHED_NAME = 57  # characters of a file's name before `.sha256`

Image_ = TypeVar("Image_", bound=Serializable)


WinRates = Callable[[Images, Sequence[tuple[str, str]], int], dict[tuple[str, str], float]]
"""How often the first of each pair beats the second. Pairs are digests of the images; then: how
many workers.

Raises EngineFailed when the machinery keeps failing.
"""


class ProgramBuilder(ABC, Generic[Image_]):
    """Builds submissions for one kind of play. Threads may share it."""

    name: ClassVar[str]  # of the kind of play
    language: ClassVar[str] = "any language"  # if there is one
    win_rates: WinRates | None = None
    """Computes what the ladder shows; None where games are played instead."""

    def __init__(self, settings: Settings, open_runner: RunnerFactory) -> None:
        """It plays its trial games with `open_runner`."""
        self._settings = settings
        self._open_runner = open_runner
        self._opponents: Sequence[tuple[str, Image_]] = ()
        self._seed = ""

    def at_home(self, opponents: Sequence[tuple[str, Image_]] = (), seed: str = "") -> None:
        """Let images know the lines of their source, which faults then name; all else of them is
        the same.

        Trial games are against `opponents`, and have the chance of `seed`; () and "": as in a
        contest.
        """
        self._opponents, self._seed = opponents, seed

    @abstractmethod
    def build(
        self, files: Mapping[str, bytes], text: str, *, with_trial: bool = True
    ) -> BuildResult[Image_]:
        """Build the files as they were sent and play the trial game; `text` is what the letter
        says.

        The files may still hold an authentification string. Without a trial game: to compare the
        image with one that was built before. Raises ToolMissing, EngineFailed or TryAgain if our
        machinery is at fault, never for anything that a program does.
        """

    def _trial_seeds(self, source_digest: str) -> Seeds:
        """Return the chance of a trial game: usually that of its source, so that the same program
        has the same."""
        return Seeds(
            seed_from(f"check/{self._seed}") if self._seed else bytes.fromhex(source_digest)
        )

    @abstractmethod
    def sparring_opponents(self) -> SparringOpponents:
        """Return the programs that a team can practise against: our own, built once in a process.

        Raises ToolMissing where the compiler or the sandbox is not installed.
        """

    @abstractmethod
    def load(self, raw: bytes) -> Image_:
        """Return the image that `to_bytes` wrote. Raises ValueError for anything else."""

    def prepare(self, image: Image_) -> None:
        """Make the image's games quick in advance. Raises NotTranslated if they stay slow."""
        return

    def offered(self) -> frozenset[str]:
        """Return the names of the languages that teams can use with this host."""
        return frozenset((self.language,))

    def language_of(self, files: Mapping[str, bytes]) -> str:
        """Return the name of the language that these files need, as in "programs in Python"."""
        return self.language

    @abstractmethod
    def try_language(self, language: str) -> None:
        """Try whether this host can build the language now; one that is unknown here is not tried.

        Raises ToolMissing if it cannot.
        """

    def check_host(self, files: Mapping[str, bytes], offered: Collection[str]) -> None:
        """See to it that these files were refused for what they are: try their language, if it was
        offered.

        Raises ToolMissing if this host cannot build the language, so that the refusal tells
        nothing.
        """
        language = self.language_of(files)
        if language in offered:
            self.try_language(language)

    def published_files(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the files of a submission as everybody may see them, without the authentification
        string.

        Of the archive of a container image, which may hold anything, only the digest is published.
        """
        return dict(
            (
                f"{name[:MAX_PUBLISHED_NAME]}.sha256",
                f"{hashlib.sha256(data).hexdigest()}\n".encode(),
            )
            if is_archive(name)
            else (name, without_secret(data))
            for name, data in files.items()
        )

    def description(self, files: Mapping[str, bytes], text: str) -> str:
        """Return what the team says about its program: in a file of its own, or else in the
        letter's text.

        Raises ValueError, with the end of a sentence, for files that are no program of this kind.
        """
        return take_apart(files, text).description
