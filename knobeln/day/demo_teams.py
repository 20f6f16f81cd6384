"""The made-up teams of `knobeln demo`: their forms and their programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import cycle

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.games.registry import game
from contest.mail.form import sample_value
from contest.model import Member, Registration
from knobellib.samples import house_strategies, samples

DOMAIN = "teams.example"

# The mail-preferences of the teams, in turn; reports that a contest does not offer are left out.
PREFERENCES = (
    "LAP,DGP,GRG,RSM,BRK",
    "RSM,OWN",
    "LGP,GRP,GRR",
    "GRR,OWN",
    "LGP,DGP,GRP,GRR,RSM",
    "",
    "GRP,RSM,OWN",
    "GRG,GRR,BRK",
)

# For C programs: the announcement's own example, and three programs with mistakes.
SPECIAL = (
    ("the_heavy_lords_of_knobeln", "example.c"),
    ("syntax_errors_anonymous", "demo/does_not_compile.c"),
    ("printf_debuggers", "demo/forbidden_routine.c"),
    ("rules_are_for_others", "demo/breaks_rules.c"),
)

NOT_COMPILING = b"int main(void) { return 0\n"

CRASHING = b"""import sys

for line in sys.stdin if len(sys.argv) == 1 else ():
    if not line.startswith("gameover"):
        break
print("now everything is lost", file=sys.stderr)
sys.exit(3)
"""

UNDECIDED = b"""import random


def final_strategy(score, opponent_score):
    return random.randrange(11)
"""

DESCRIPTION = """This program is one of the samples that come with the contest software. The comment
at its beginning says how it plays.

It was written to have somebody to play against, and is sent for the
demonstration by a team that does nothing else.

It keeps nothing from one contest to the next, and hopes for the best.
The work was divided evenly.
"""


@dataclass(frozen=True)
class DemoTeam:
    """A team and the files that it attaches. A C program is the letter's text instead, under the
    name ""."""

    registration: Registration
    files: Mapping[str, bytes]

    @property
    def name(self) -> str:
        return self.registration.team_name

    @property
    def address(self) -> str:
        return self.registration.address


def demo_teams(settings: Settings, count: int) -> tuple[DemoTeam, ...]:
    """Return this many teams for the contest's game: a few with mistakes, and samples again and
    again."""
    info = game(settings.game.name).info
    programs = _c_programs(count) if info.play.is_in_c else _other_programs(info, count)
    chosen = zip(programs, cycle(PREFERENCES), strict=False)
    return tuple(
        DemoTeam(_registration(number, name, preferences, settings), program)
        for number, ((name, program), preferences) in enumerate(chosen, start=1)
    )


def _c_programs(count: int) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """Yield the four special ones, and the house strategies."""
    library = files("knobellib")
    for name, path in SPECIAL:
        yield name, {"": library.joinpath(path).read_bytes()}
    house = [(strategy.name, {"": strategy.source.encode()}) for strategy in house_strategies()]
    yield from _again_and_again(house, count - len(SPECIAL))


def _other_programs(info: GameInfo, count: int) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    """Yield one that does not compile, one in an unknown language, one that fails, and the
    samples."""
    yield "syntax_errors_anonymous", {"program_1.c": NOT_COMPILING}
    yield "friends_of_the_punched_card", {"program_2.cob": b"       STOP RUN.\n"}
    failing = CRASHING if info.play.has_moves else UNDECIDED
    yield "always_in_trouble", {"program_3.py": failing}
    known = [
        (name.partition(".")[0], {name: data}) for name, data in sorted(samples(info.name).items())
    ]
    yield from _again_and_again(known, count - 3)


def _again_and_again(
    programs: Sequence[tuple[str, Mapping[str, bytes]]], count: int
) -> Iterator[tuple[str, Mapping[str, bytes]]]:
    for number in range(count):
        turn, index = divmod(number, len(programs))
        name, program = programs[index]
        yield (f"{name}_{turn + 1}"[:30] if turn else name), program


def _registration(number: int, name: str, preferences: str, settings: Settings) -> Registration:
    offered = settings.reports.offered
    age = 20 + number % 50 if settings.teams.member_lines == 2 else None
    background = "knows C since the first edition" if age else ""
    return Registration(
        address=f"{name}@{DOMAIN}",
        preferences=tuple(code for code in preferences.split(",") if code in offered),
        team_name=name,
        organization=f"Society for {name.replace('_', ' ').title()}, Intellect City, Eggland",
        members=(Member(f"Player {number}", age, "programmer", background),),
        fields=tuple(
            (
                field.name,
                field.choices[number % len(field.choices)]
                if field.choices
                else sample_value(field),
            )
            for field in settings.teams.fields
        ),
    )
