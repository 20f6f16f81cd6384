"""Which programs are alike: for the organizer alone, on request.

Nothing is stored or mailed, and nothing depends on it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from compiler.build import build
from compiler.builders import builder_of
from compiler.likeness import Alike, alike_texts, count_words
from compiler.source import decoded
from compiler.toolchain import Toolchain
from compiler.uploaded_files import take_apart
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.registry import game_of
from contest.interfaces.protocols import Images
from contest.model import Submission
from contest.schema.sections import Programs
from contest.util.program_files import is_archive
from knobellib.kits import kit_of
from knobellib.samples import samples
from knobeln.context import ContestContext
from store import Transaction, contest_state, submissions, teams
from tournament.derived_settings import frozen_settings
from tournament.runners import open_runner, runner_of

SHORT_WORDS = 150  # a shorter program is a simple idea, which several people can have


@dataclass(frozen=True)
class BehaviourTwins:
    """Programs that do the same in every game.

    `words`: of the shortest of them; `ours`: the programs of ours that do it, too.
    """

    programs: tuple[str, ...]
    words: int
    ours: tuple[str, ...]

    @property
    def is_well_known(self) -> bool:
        """Whether the likeness says little: the idea is simple, or anybody can read it in our
        programs."""
        return bool(self.ours) or self.words < SHORT_WORDS


@dataclass(frozen=True)
class Twins:
    """What was found. `behaviour` is None if nobody can tell, because games cannot be computed.

    Of programs that talk, those whose time is counted are compared by what they do.
    """

    programs: int
    behaviour: tuple[BehaviourTwins, ...] | None
    texts: tuple[Alike, ...]


_Program = tuple[str, Mapping[str, str]]
"""A program that counts: its image's digest, and its texts by the names of its files."""


def twins_of(contest: ContestContext) -> Twins:
    """Compare the entries or, before the contest day, the programs that count.

    Raises ToolMissing or EngineFailed.
    """
    with contest.store.read() as tx:
        settings = frozen_settings(contest_state.started_settings(tx), contest.settings)
        programs = dict(_programs(tx, settings))
        images = submissions.load_images(tx, [digest for digest, _ in programs.values()])
    texts = {name: texts for name, (_, texts) in programs.items()}
    return Twins(
        programs=len(programs),
        behaviour=_behaviour(programs, images, settings),
        texts=alike_texts(texts, _base(settings)),
    )


def _programs(tx: Transaction, settings: Settings) -> Iterator[tuple[str, _Program]]:
    """The entries' programs by name; before there are entries, the newest accepted program of each
    team, banned ones included."""
    entries = submissions.all_entries(tx)
    for entry in entries:
        yield (
            entry.name,
            _program(submissions.entered(tx, entry).submission, entry.image_digest, settings),
        )
    for team in () if entries else teams.present(tx):
        if version := submissions.latest_good(tx, team.id):
            digest, _ = submissions.image_of(tx, team.id, version.number)
            yield team.name, _program(version, digest, settings)


def _program(submission: Submission, digest: str, settings: Settings) -> _Program:
    if game_of(settings.game, settings.programs).info.play.is_in_c:
        (source,) = submission.files.values()
        texts = {"program.c": decoded(source)}
    else:
        texts = _texts(take_apart(submission.files, "").files)
    return digest, texts


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: decoded(data) for name, data in files.items() if not is_archive(name)}


def _base(settings: Settings) -> Iterable[Mapping[str, str]]:
    """The programs that all teams have received."""
    files = list(samples(settings.game.name).items())
    if game_of(settings.game, settings.programs).info.has_kit:
        files += [(file.name, file.data) for file in kit_of(settings).files]
    return [_texts({name: data}) for name, data in files]


def _behaviour(
    programs: Mapping[str, _Program], images: Images, settings: Settings
) -> tuple[BehaviourTwins, ...] | None:
    kind = runner_of(settings)
    if images and not kind.computed(images, settings):
        return None
    ours = builder_of(settings, open_runner).sparring_opponents()
    alike = kind.behaviour_twins(
        {**images, **dict(ours.values())}, settings, lambda source: _built(source, settings)
    )
    if alike is None:
        return None
    names = _names_by_digest(programs)
    titles = _names_by_digest(ours)
    in_groups = {digest for group in alike for digest in group}
    alone = [(digest,) for digest in names if digest not in in_groups]
    similar = []
    for group in (*alike, *alone):
        members = sorted(chain.from_iterable(names[digest] for digest in group))
        if len(members) > 1:
            known_as = chain.from_iterable(titles[digest] for digest in group)
            twins = BehaviourTwins(
                programs=tuple(members),
                words=min(count_words(programs[name][1]) for name in members),
                ours=tuple(sorted(known_as)),
            )
            similar.append(twins)
    return tuple(sorted(similar, key=lambda twins: (twins.is_well_known, twins.programs)))


def _names_by_digest(programs: Mapping[str, tuple[str, object]]) -> Mapping[str, list[str]]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for name, (digest, _) in programs.items():
        names[digest].append(name)
    return names


def _built(source: str, settings: Settings) -> tuple[str, bytes]:
    """The image of a program of ours in C, and its digest before it."""
    result = build(source, Programs(description="none"), Toolchain())
    if result.image is None:
        raise ToolMissing(
            f"the compiler does not accept a program of ours: {result.report.messages}"
        )
    return result.image.digest, result.image.to_bytes()
