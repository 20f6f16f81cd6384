"""`knobeln announce`, `site` and `publish`: what goes out to everybody."""

from __future__ import annotations

from pathlib import Path

import click

from contest.errors import GiveUp, KnobelnError, NotFound, NotNow
from contest.model import Phase
from contest.util.plurals import plural
from knobeln.cli.contest_option import ContestCommand, open_contest, tournament_option
from knobeln.cli.output import remark
from knobeln.cli.result_tables import contest_ranking
from mailserver.attachments import announcement_texts
from reports.announcement import announcement
from reports.prizes import prize_fields
from store import contest_state, results, submissions
from store.results import Games


@click.command(cls=ContestCommand)
@click.option(
    "--faq", "kind", flag_value="faq", help="Print frequent questions and their answers instead."
)
@click.option(
    "--results", "kind", flag_value="results", help="Print the results instead, after the contest."
)
def announce(kind: str | None) -> None:
    """Print the announcement of the contest. It is made from the settings: dates, rules, form,
    limits.

    Teams get it by mail with the subject `send announcement`, the questions with `send faq`.
    """
    contest = open_contest()
    with contest.store.read() as tx:
        if kind == "results":
            state = contest_state.state(tx)
            if state.phase is not Phase.FINISHED:
                raise NotNow("the contest is not finished, so there is nothing to announce yet")
            text = announcement(
                history=results.finished_rounds(tx, Games.ALL),
                ranking=contest_ranking(tx, contest.settings),
                evolution=results.get_evolution(tx),
                seed=state.seed,
                prize_fields=prize_fields(submissions.participants(tx), contest.settings.teams),
                settings=contest.settings,
                templates=contest.templates,
            )
        else:
            texts = announcement_texts(tx, contest.settings)
            text = contest.templates.render(kind or "call", **texts)
    click.echo(f"Subject: {text.subject}\n\n{text.body}", nl=False)


@click.command(cls=ContestCommand)
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--archives",
    is_flag=True,
    help=(
        "DIR has archives, as `knobeln publish` writes them: write index.html, a page of them,"
        " into it."
    ),
)
@click.option(
    "--class",
    "is_class",
    is_flag=True,
    help=(
        "Write class.html into DIR, for you alone: how far everybody of the class is. DIR must not"
        " be that of the contest's pages."
    ),
)
def site(target: Path, archives: bool, is_class: bool) -> None:
    """Write the contest's pages into DIR. They show dates, teams, released results, and games to
    replay.

    The pages need no server. They show what the reports tell that the contest offers, whoever
    gets these.
    """
    if archives:
        _index(target)
        return
    if is_class:
        _class_page(target)
        return
    from knobeln.archive.export import packed
    from knobeln.home.games import sample_replay
    from knobeln.server.site_writer import write_season

    contest = open_contest()
    with contest.only_one("site", shared_elsewhere=True) as alone:
        if not alone:
            raise NotNow("another process writes the pages at this moment", hint="try again")
        steps = write_season(contest, target, packed, set(), sample_replay)
        try:
            while True:
                next(steps)
        except StopIteration as end:
            summary = str(end.value)
    remark(summary)


def _class_page(target: Path) -> None:
    """Write the lecturer's page, which nobody else may read, where nothing is published."""
    from contest.games.registry import game_of
    from contest.language import speaking
    from contest.util.folders import make_folder
    from knobeln.classes.class_view import view
    from reports.site.alone import CLASS, class_page
    from reports.site.folder import LIST

    contest = open_contest()
    public = Path(contest.settings.site.folder) if contest.settings.site.folder else None
    folder = target.resolve()
    parents = (folder, *folder.parents)
    is_public = public is not None and (contest.path / public).resolve() in parents
    if is_public or any((parent / LIST).exists() for parent in parents):
        raise GiveUp(
            f"{target} has the contest's pages, which everybody reads",
            hint="choose a folder that only you can read",
        )
    with speaking(contest.settings.contest.language):
        shown = view(contest)
    game = game_of(contest.settings.game, contest.settings.programs).info
    make_folder(target)
    page = target / CLASS
    page.touch(mode=0o600)
    page.chmod(0o600)
    page.write_bytes(class_page(shown.students, shown.counts, contest.settings, game))
    remark(f"The page is in {page}, and only you can read it.")


def _index(target: Path) -> None:
    """Write the page of the archives in this folder; the archives of others are foreign input."""
    from contest.games.registry import game_of
    from reports.site.alone import INDEX, ListedArchive, index_of_archives
    from reports.site.folder import write_at_once
    from trust.archive import files
    from trust.archive.contents import from_files, settings_of

    index, archives = target / INDEX, []
    if index.exists() and b'<meta name="generator" content="knobeln">' not in index.read_bytes():
        raise GiveUp(f"{index} is not a page of ours, so it stays as it is")
    for folder in sorted(path.parent for path in target.glob(f"*/{files.MANIFEST}")):
        try:
            read = files.read(folder)
            archive = from_files(read)
            settings = settings_of(archive.contest)
            game = game_of(settings.game, settings.programs).info
        except KnobelnError as error:
            remark(f"{folder} is left out: {error}", err=True)
            continue
        packed = folder.with_name(f"{folder.name}.tar.gz")
        listed = ListedArchive(
            folder=folder.name,
            digest=read.digest,
            title=settings.contest.title,
            organizer=settings.contest.organizer,
            licence=settings.contest.licence,
            game=game.title,
            started_at=archive.contest.started_at,
            programs=len(archive.entries),
            winners=tuple(standing.entry for standing in archive.ranking if standing.rank == 1),
            packed=packed.name if packed.is_file() else "",
        )
        archives.append((listed, settings, game))
    if not archives:
        raise NotFound(
            f"there is no archive in {target}", hint="`knobeln publish DIR/NAME` writes one"
        )
    listed, settings, game = max(archives, key=lambda archive: archive[0].started_at)
    write_at_once(index, index_of_archives([archive for archive, *_ in archives], settings, game))
    remark(f"{plural(len(archives), 'archive')} on the page {index}.")


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--early", is_flag=True, help="Publish before the results are announced.")
@tournament_option
@click.option(
    "--season",
    is_flag=True,
    help="Publish all tournaments of a season that is over, and its table.",
)
def publish(folder: Path, early: bool, tournament: int | None, season: bool) -> None:
    """Write the contest's archive to the new folder DIR. It has everything to compute the results
    again.

    It holds the programs with descriptions and credits, but without authentification strings; the
    seed, all games, and all rankings.
    """
    from knobeln.archive.export import publish as published
    from knobeln.archive.season import publish_season

    if season:
        digest = publish_season(open_contest(), folder)
        remark(f"The archive of the season is in {folder}.")
    else:
        archive, digest = published(open_contest(tournament), folder, early=early)
        remark(f"The archive of {plural(len(archive.entries), 'program')} is in {folder}.")
    remark(f"Its digest, for those who get it from somebody else:\n    {digest}")
    remark(f"Anybody can check it:\n    knobeln verify {folder}")
