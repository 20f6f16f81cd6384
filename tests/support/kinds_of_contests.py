"""One small contest of each kind, held by mail, for tests of what an organizer could do with it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from contest.config.settings import Settings
from contest.mail.form import sample
from contest.schema.sections import ExtraField, Season
from knobellib.samples import samples
from knobeln import presets
from knobeln.archive.season import SEASON, folder_of
from knobeln.season import go_on
from tests.support.archives import knobeln
from tests.support.drand_network import drand_server, stand_in
from tests.support.mail_world import START
from tests.support.mailed_contest import (
    CHAIN,
    CLASS_FORM,
    CLOSES,
    HEAVY,
    KNOWN,
    PROGRAMS,
    MailedContest,
    Stages,
    small_settings,
)
from tests.support.organizers import Forgery, signed_again
from trust.archive import files


class SeasonContest(MailedContest):
    """A season of two tournaments: what is held before `publish` is the first."""

    def publish(self, archive: Path) -> Path:
        with self.opened() as contest:
            later = timedelta(days=contest.settings.season.days)
            dates = contest.settings.dates
        is_over = dates.results_published + timedelta(hours=1)
        listed_at = CLOSES + timedelta(minutes=1)
        self._go_on(is_over)
        if listed_at < dates.contest_starts:
            self.clock.at = listed_at + later
            self.tell_first_list()
        self.clock.at = START + later + timedelta(seconds=5)
        self.start()
        self.clock.at = KNOWN + later
        self.play()
        self._go_on(is_over + later)
        result = knobeln("publish", "--season", archive, "-C", self.folder)
        assert result.exit_code == 0, result.output
        return archive

    def _go_on(self, at: datetime) -> None:
        """Begin the next tournament, or end the season."""
        self.clock.at = at
        with self.opened() as contest:
            assert go_on(contest)
        self.bring_mails()


class SeasonForgery(Forgery):
    """The first tournament of a season in the hands of its organizer. The other one and the season
    are made to fit."""

    def __init__(self, folder: Path, archive: Path) -> None:
        super().__init__(folder, folder_of(archive, 1))
        self._season = archive

    def publish(self, folder: Path) -> Path:
        season = json.loads((self._season / SEASON).read_text())
        second = dict(files.read(folder_of(self._season, 2)))
        signed_again(self._folder, self.ledger)(second)
        super().publish(folder_of(folder, 1))
        files.write(folder_of(folder, 2), second)
        season["archives"] = [
            hashlib.sha256((folder_of(folder, number) / files.MANIFEST).read_bytes()).hexdigest()
            for number in (1, 2)
        ]
        (folder / SEASON).write_text(json.dumps(season, indent=1, ensure_ascii=False) + "\n")
        return folder


def forgery_of(contest: MailedContest, archive: Path) -> Forgery:
    kind = SeasonForgery if isinstance(contest, SeasonContest) else Forgery
    return kind(contest.folder, archive)


def archives_in(archive: Path) -> list[Path]:
    """The archive, or those of the tournaments of a season."""
    if not (archive / SEASON).exists():
        return [archive]
    return [folder_of(archive, number) for number in (1, 2)]


@dataclass(frozen=True)
class Kind:
    """A kind of contests. `files`: as `MailedContest.files`; `form`: if it is not that of KNOBELN;
    `does_not_apply`: the ways to cheat that it has no room for, each with the reason."""

    settings: Callable[[], Settings]
    files: Mapping[str, tuple[str, bytes]]
    contest: type[MailedContest] = MailedContest
    form: Callable[[Settings], str] | None = None
    does_not_apply: Mapping[str, str] = field(default_factory=dict)


def _of_preset(name: str, **sections: Mapping[str, object]) -> Settings:
    """The settings of a preset, with the small contest's dates, address and beacon."""
    small, chosen = small_settings(beacon="drand"), presets.settings(name, START)
    tournament = chosen.tournament.model_copy(update={"beacon": "drand", "workers": 1})
    own = {"contest": small.contest, "dates": small.dates, "mail": small.mail}
    changed = chosen.model_copy(
        update={**own, "registration": small.registration, "tournament": tournament}
    )
    return changed.changed(**sections)


def _files(game: str, *names: str) -> Mapping[str, tuple[str, bytes]]:
    strategies = (*PROGRAMS.values(), "grim")
    return {
        strategy: (name, samples(game)[name])
        for strategy, name in zip(strategies, names, strict=True)
    }


def _form_of_preset(chosen: Settings) -> str:
    """The form of the contest, as HEAVY fills it in."""
    codes = "RSM" if "RSM" in chosen.reports.offered else "OWN"
    text = sample(chosen).text.replace("name@machine.domain", "our_team@machine.domain.alfdkj")
    text = re.sub("^mail-preference: .*$", f"mail-preference: {codes}", text, flags=re.M)
    text = re.sub("^team-name: .*$", f"team-name: {HEAVY}", text, flags=re.M)
    return text.replace("  name, ", f"  Member of {HEAVY}, ").replace("age in years", "45")


def _class_with_prizes() -> Settings:
    author = ExtraField(name="author", choices=("human", "AI"))
    own = {"fields": (author,), "prizes_by": "author"}
    return presets.for_class(small_settings(beacon="drand")).changed(teams=own)


NO_EVOLUTION = {"leaves a generation out": "it has no evolution"}
ONE_GAME = {"swaps two games": "all play in one game"}
COUNTED = {"description": "none", "counted_languages": ("C", "JavaScript"), "fuel": 300_000_000}
KINDS: Mapping[str, Kind] = {
    "a class": Kind(
        _class_with_prizes,
        {},
        form=lambda _chosen: CLASS_FORM.replace("team-members", "author: human\nteam-members"),
    ),
    "a knock-out": Kind(
        lambda: small_settings(beacon="drand", format="double-elimination").changed(
            evolution={"enabled": False}
        ),
        {},
        does_not_apply=NO_EVOLUTION,
    ),
    "Hog": Kind(
        lambda: _of_preset("hog", programs={"python_packages": (), "memory_mb": 0}),
        _files("hog", "always_four.py", "always_six.py", "chaser.py", "pig_fancier.py"),
        form=_form_of_preset,
        does_not_apply=NO_EVOLUTION,
    ),
    "a standoff": Kind(
        lambda: _of_preset("standoff", programs=COUNTED, game={"max_rounds": 20}),
        {
            **_files("standoff", "accountant.c", "pacifist.c", "vulture.js", "accountant.c"),
            "grim": ("pacifist.c", b"/* another one */\n" + samples("standoff")["pacifist.c"]),
        },
        form=_form_of_preset,
        does_not_apply={**NO_EVOLUTION, **ONE_GAME},
    ),
    "a season": Kind(
        lambda: small_settings(beacon="drand").model_copy(
            update={"season": Season(tournaments=2, days=14, open=True)}
        ),
        {},
        SeasonContest,
    ),
}


def _counted(game: str, *names: str, **sections: Mapping[str, object]) -> Kind:
    """A preset whose games talk, with programs whose time is counted."""
    counted = {"description": "none", "counted_languages": ("C", "JavaScript")}
    programs = {**counted, **sections.pop("programs", {})}
    return Kind(
        lambda: _of_preset(game, programs=programs, **sections),
        _files(game, *names),
        form=_form_of_preset,
    )


FEW_GAMES = {"games": 2}
PRESETS: Mapping[str, Kind] = {
    "bid-tac-toe": _counted(
        "bid-tac-toe",
        *("regret_matcher.c", "line_builder.js", "regret_matcher.c", "line_builder.js"),
        tournament=FEW_GAMES,
    ),
    "cooperation": _counted(
        "cooperation", "always_betray.c", "detective.js", "pavlov.c", "detective.js"
    ),
    "cooperation-legacy": _counted(
        "cooperation-legacy", "last_round_thief.c", "pavlov.js", "last_round_thief.c", "pavlov.js"
    ),
    "hog": KINDS["Hog"],
    "knobeln-1993": Kind(
        lambda: _of_preset(
            "knobeln-1993",
            dates={"results_published": START + timedelta(days=1)},
            game={"L": 40, "k": 4},
            programs={"description": "warn"},
        ),
        {},
        SeasonContest,
    ),
    "standoff": KINDS["a standoff"],
    "ultimate-tic-tac-toe": _counted(
        "ultimate-tic-tac-toe",
        *("alpha_beta.c", "playouts.js", "alpha_beta.c", "playouts.js"),
        programs={"seconds": 0.2, "fuel": 2_000_000_000},
        tournament={"games": 1},
    ),
}


@contextmanager
def held(kind: Kind, place: Path) -> Iterator[Stages]:
    """The honest contest of this kind, at each stage; meanwhile the stand-in is drand."""
    with drand_server(CHAIN) as url, stand_in(CHAIN, url):
        chosen = kind.settings()
        contest = kind.contest.create(place / "contest", chosen, kind.files)
        if kind.form:
            contest.form = kind.form(chosen)
        stages = Stages(place, url, {})

        def keep(stage: str) -> None:
            stages.kept[stage] = contest.copied(place / stage)

        contest.take_part(PROGRAMS)
        keep("open")
        contest.clock.at = CLOSES + timedelta(minutes=1)
        contest.tell_first_list()
        keep("listed")
        contest.clock.at = START + timedelta(seconds=5)
        contest.start()
        keep("final")
        contest.clock.at = KNOWN
        contest.fetch_number()
        keep("drawn")
        contest.play()
        keep("played")
        contest.publish(stages.archive)
        keep("published")
        yield stages
