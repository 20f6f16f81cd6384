"""`knobeln verify`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import click

from contest.errors import EX_FAILED, EX_INCOMPLETE, Differs, GiveUp
from contest.ledger.signatures import is_signed
from contest.util.plurals import plural
from knobeln.archive import season
from knobeln.cli.answers import answer, answers
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.progress_bars import progress_bar
from trust import verification
from trust.archive import contents, files
from trust.archive.contents import Archive, settings_of
from trust.archive.findings import Finding, step
from trust.for_teams import receipts
from trust.verify_entries import Verified
from trust.verify_limits import memory_limit
from trust.what_if import Change, WhatIf
from trust.without_bans import sentences


@dataclass(frozen=True, kw_only=True)
class VerifyAnswer(Verified):
    """What was checked of an archive, and what was not, in sentences.

    `eyes`: how many things a person has to look at, to believe, or to check elsewhere.
    """

    title: str
    programs: int
    seed_commitment: str
    digest: str
    eyes: int
    verdict: str


@dataclass(frozen=True)
class SeasonAnswer:
    """What was checked of each tournament; and beyond them of the season, and what could not be."""

    tournaments: tuple[VerifyAnswer, ...]
    checked: tuple[str, ...]
    missed: tuple[str, ...]
    digest: str
    eyes: int
    verdict: str


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--digest", default=None, help="The archive's digest as the organizer announced it.")
@click.option("--strict", is_flag=True, help="End with 1 instead of 3.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True, max=100_000),
    default=None,
    help=(
        "End after this many minutes. Default: three times as long as the contest took, and 10 s"
        " for every program."
    ),
)
@click.option(
    "--letters",
    type=click.Path(path_type=Path, exists=True),
    default=None,
    metavar="MAILDIR|MBOX",
    help=(
        "A team's mails: check every receipt in them against each other and against the archive's"
        " ledger."
    ),
)
@click.option("--without", default="", metavar="TEAM", help="Also play it without this team.")
@click.option(
    "--number",
    default="",
    metavar="WORDS",
    help="Also play it with these words in place of the public number.",
)
@answers(VerifyAnswer | SeasonAnswer)
def verify(
    folder: Path,
    digest: str | None,
    strict: bool,
    minutes: float | None,
    letters: Path | None,
    without: str,
    number: str,
) -> None:
    """Compute a contest again from its archive DIR, and compare every result.

    It also computes the contest without the organizer's late bans. With --without or --number it
    tells who would have won otherwise: that is not the result. DIR may also be the archive of a
    season. This needs no contest of your own. Exit code 0: everything is the same; 1: it is not,
    and the first difference is named; 2: a usage error; 3: nothing contradicts the archive, but
    some things have to be believed, or could not be checked on this host.
    The first line says it in a sentence; below, each such thing is named with what could prove it.
    """
    verdict: VerifyAnswer | SeasonAnswer
    change = Change(without, number) if without or number else None
    is_season = (folder / season.SEASON).is_file()
    if is_season and change:
        raise click.UsageError("--without and --number take the archive of one tournament.")
    try:
        if is_season:
            verdict = _verify_season(folder, digest, minutes, letters)
        else:
            verdict, _ = _verify(folder, digest, minutes, letters, change)
    except Differs as error:
        text = f"the results do not follow. The first difference ({error.code}): {error}"
        raise Differs(text) from None
    answer(verdict, _show)
    if verdict.eyes:
        click.get_current_context().exit(EX_FAILED if strict else EX_INCOMPLETE)


def _verify_season(
    folder: Path, digest: str | None, minutes: float | None, letters: Path | None
) -> SeasonAnswer:
    with step("form"):
        facts, own_digest = season.read_season(folder, digest)
    tournaments = []

    def check(of_tournament: Path, its_digest: str) -> Archive:
        verdict, archive = _verify(of_tournament, its_digest, minutes, letters)
        tournaments.append(verdict)
        return archive

    result = Verified()
    seconds = season.USUAL_SECONDS if minutes is None else 60 * minutes
    with step("season"):
        season.check_season(folder, facts, check, result, seconds)
    eyes = len(result.missed) + sum(tournament.eyes for tournament in tournaments)
    checked, missed = tuple(result.checked), tuple(result.missed)
    return SeasonAnswer(
        tournaments=tuple(tournaments),
        checked=checked,
        missed=missed,
        digest=own_digest,
        eyes=eyes,
        verdict=_verdict(eyes),
    )


def _verify(
    folder: Path,
    digest: str | None,
    minutes: float | None,
    letters: Path | None,
    change: Change | None = None,
) -> tuple[VerifyAnswer, Archive]:
    with step("files"):
        read = files.read(folder, digest)
    with memory_limit(), step("form"):
        archive = contents.from_files(read)
    of_letters = None if letters is None else _check_receipts(folder, letters)
    seconds = None if minutes is None else 60 * minutes
    verified = verification.verify(archive, partial(progress_bar, columns=12), seconds, change)
    if of_letters:
        verified.checked.append(receipts.how_many(of_letters))
        verified.noticed.extend(Finding("mails", remark) for remark in of_letters.remarks)
    eyes = len(verified.noticed) + len(verified.missed) + len(verified.believed)
    verdict = VerifyAnswer(
        **{field.name: getattr(verified, field.name) for field in fields(verified)},
        title=files.shown(settings_of(archive.contest).contest.title),
        programs=len(archive.entries),
        seed_commitment=archive.contest.seed_commitment,
        digest=read.digest,
        eyes=eyes,
        verdict=_verdict(eyes),
    )
    return verdict, archive


def _verdict(eyes: int) -> str:
    if not eyes:
        return "Every result follows from the programs, the lists of entries and the draw."
    return f"Every result follows if you believe {plural(eyes, 'thing')}, named below."


def _check_receipts(folder: Path, letters: Path) -> receipts.Checked:
    """Compare these mails with the archive. Raises GiveUp with the first receipt that does not
    fit."""
    try:
        ledger = receipts.read_ledger(folder)
        return receipts.check(ledger, receipts.read_mails(letters), is_signed)
    except receipts.Wrong as wrong:
        raise GiveUp(
            f"the results do not follow: the receipts do not fit. The first difference: {wrong}"
        ) from None


def _list(what: str, sentences: Iterable[str]) -> None:
    for sentence in sentences:
        click.echo(f"  {what}{sentence}")


def _list_findings(what: str, findings: Iterable[Finding]) -> None:
    """Show what has to be believed, each with what could prove it."""
    for finding in findings:
        _list("", (f"{what}{finding.text}", f"  proof ({finding.code}): {finding.proof}"))


def _show(verdict: VerifyAnswer | SeasonAnswer) -> None:
    click.echo(verdict.verdict)
    if isinstance(verdict, SeasonAnswer):
        for number, tournament in enumerate(verdict.tournaments, start=1):
            click.echo(f"Tournament {number} of {len(verdict.tournaments)}")
            _show(tournament)
        _list("", verdict.checked)
        _list_findings("not checked: ", _of_this_host(verdict.missed))
        click.echo("Compare this with the season's digest as the organizer announced it:")
        click.echo(f"    {verdict.digest}")
        return
    click.echo(f"{verdict.title}: {plural(verdict.programs, 'program')}")
    _list("", verdict.checked)
    _list_findings("look at this: ", verdict.noticed)
    if verdict.without_late_bans:
        late = ", ".join(verdict.without_late_bans.banned)
        click.echo(f"  without the late bans of {late}, from the same seed:")
        _list("  ", sentences(verdict.without_late_bans))
    _list_findings("believed: ", verdict.believed)
    _list_findings("not checked: ", _of_this_host(verdict.missed))
    _list("not checked: ", verdict.unchecked)
    if verdict.what_if:
        _show_other(verdict.what_if)
    click.echo("Compare this with the sha256 of the secret number that every welcome told:")
    click.echo(f"    {verdict.seed_commitment}")
    click.echo("and this with the archive's digest as the organizer announced it:")
    click.echo(f"    {verdict.digest}")


def _show_other(other: WhatIf) -> None:
    """Both ranks of each team, in the order of the contest that was not."""
    click.echo(f"not the result: {other.change}")
    _list("", other.sentences())
    widest = max(len(line.entry) for line in other.contest.ranking)
    click.echo(f"  {'team':{widest}}   rank  if so")
    for line in other.contest.ranking:
        ranks = f"{line.rank or '-':>6} {line.otherwise or '-':>6}"
        click.echo(f"  {line.entry:{widest}} {ranks}  {other.move_of(line)}".rstrip())


def _of_this_host(missed: Iterable[str]) -> Iterator[Finding]:
    return (Finding("host", missing) for missing in missed)
