"""The protocol between the tournament and a kind of play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from contest.config.settings import Settings
from contest.errors import Differs
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, ProgressCallback, Runner, no_progress
from contest.model import GameJob, GameResult, GroupOutcome
from contest.seeds import Seeds
from tournament.runners.recorded import Asked


class RunnerPlugin(ABC):
    """How the games of one kind of play are run."""

    @abstractmethod
    def open(
        self, images: Images, settings: Settings, seeds: Seeds, progress: ProgressCallback
    ) -> AbstractContextManager[Runner]:
        """A runner for the contest's game with these programs; closing it ends everything that it
        started.

        `images`: what the builds made, by digest. No result depends on `progress`.
        """

    def open_checking(
        self,
        recorded: GroupOutcome,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        progress: ProgressCallback,
    ) -> AbstractContextManager[Runner]:
        """A runner that checks a group as it was recorded.

        By default it plays the games again. Where programs cannot play again, their moves are those
        that were recorded. Raises Differs where these break the rules, or where a program that can
        play again does something else. `images`: of all programs that play again.
        """
        return self.open(images, settings, seeds, progress)

    def computed(self, images: Images, settings: Settings) -> frozenset[str]:
        """The digests of those of the programs that anybody can have play their games again, with
        the same results; by default all or none, as the kind of play has it."""
        play = game_of(settings.game, settings.programs).info.play
        return frozenset(images) if play.is_computed else frozenset()

    def asked(
        self, group: GroupOutcome, images: Mapping[str, bytes], settings: Settings, seeds: Seeds
    ) -> Asked | None:
        """What those of these programs were told that a browser can ask again; None, the default,
        if none.

        `images`: by the names of their entries.
        """
        return None

    def why_not_here(self, image: bytes, settings: Settings) -> str:
        """Why this computer cannot play such a program with the same counts: the end of a sentence
        about it, "" if it can."""
        return ""

    def behaviour_twins(
        self, images: Images, settings: Settings, build_c: Callable[[str], tuple[str, bytes]]
    ) -> tuple[tuple[str, ...], ...] | None:
        """Those of the programs that do the same in every game, together, by digest; none that is
        alone.

        None, the default: nobody can tell, because games of this kind cannot be computed. `build_c`
        makes an image of a program of ours in C, and gives its digest, too. Raises EngineFailed or
        ToolMissing.
        """
        return None

    def prepare(self, images: Images, archive_of: Callable[[str], bytes]) -> None:  # noqa: B027
        """Put on this host what these programs need and it lacks; by default they need nothing.

        `archive_of`: the file that the team mailed, by the digest of its image. Raises GiveUp.
        """

    def speed_up(self, images: Images, settings: Settings) -> Sequence[str]:
        """Put on this host what makes these programs quick, as it is where they were built.

        Return sentences about what stays slow.
        """
        return ()

    def host_files(self, images: Images) -> frozenset[str]:
        """The files of a host, such as interpreters, that must be the same wherever these programs
        play."""
        return frozenset()

    def splits(self, settings: Settings) -> bool:
        """Whether several computers may share the games of a group."""
        return True

    def check_results(
        self,
        images: Images,
        settings: Settings,
        seeds: Seeds,
        jobs: Sequence[GameJob],
        results: Sequence[GameResult],
    ) -> None:
        """Raises Differs if another computer's results of these jobs cannot be true. By default all
        games are played again."""
        with self.open(images, settings, seeds, no_progress) as runner:
            if tuple(runner(jobs)) != tuple(results):
                raise Differs("it would be another here")
