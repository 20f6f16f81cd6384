"""Contests of programs that talk, whose games are the same on every computer."""

from collections.abc import Mapping
from pathlib import Path

from compiler.builders.text import TextBuilder
from contest import presets
from contest.interfaces.protocols import BuildResult
from contest.schema.sections import Cluster, Mail
from knobeln.context import ContestContext
from sandbox.executable import Executable
from tests.support.contest_field import NOW, make_contest, settings
from tournament.runners import open_runner

DECIDED = {
    "cooperation": ("always_cooperate.sh", "grudger.pl", "tit_for_tat.py", "two_tits.sh"),
    "bid-tac-toe": ("even_hand.sh", "copycat.pl"),
}
"""Sample programs that use neither chance nor the clock."""
DESCRIPTION = "It plays as its first lines say.\n" * 6
_SAMPLES = Path(__file__).parents[2] / "knobellib" / "opponents"


def built_samples(game: str) -> dict[str, BuildResult[Executable]]:
    """The programs of DECIDED by name."""
    builder = TextBuilder(presets.settings(game, NOW), open_runner)
    return {
        name: builder.build({name: (_SAMPLES / game / name).read_bytes()}, DESCRIPTION)
        for name in DECIDED[game]
    }


def talking_contest(
    path: Path, game: str, built: Mapping[str, BuildResult[Executable]], teams: int, there: Cluster
) -> ContestContext:
    """A contest of so many teams, which have these programs in turn."""
    chosen = presets.settings(game, NOW).model_copy(
        update={"cluster": there, "mail": Mail(listen="127.0.0.1:0"), "dates": settings().dates}
    )
    return make_contest(path, teams, built, chosen)
