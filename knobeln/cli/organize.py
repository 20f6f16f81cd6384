"""Setting up a contest, and its teams: init, upgrade, teams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from contest import presets
from contest.clock import Clock, SystemClock
from contest.config.load import FILE_NAME, load_settings
from contest.config.sections import DEFAULT_GAME
from contest.config.settings import Settings
from contest.config.template import settings_template
from contest.errors import ConfigError, NotFound
from contest.model import Ban, Team, TeamState
from contest.plurals import form
from contest.store import Store, Transaction, decisions, migrate, outbox, submissions, url_of
from contest.store import contest_state as contest_store
from contest.store import teams as team_store
from knobeln.cli.contest_option import ContestCommand, ContestGroup, chosen_path
from knobeln.cli.dry_run import change, dry_run_option, operator, tell
from knobeln.cli.output import json_option, print_json, table
from knobeln.context import ContestContext, contest_folder, existing_store
from mailserver.commands.registration import accept_pending, reject_pending


@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", required=False)
@click.option(
    "--game",
    metavar="NAME",
    help=f"The game to be played; `knobeln games` lists them. Default: {DEFAULT_GAME}.",
)
def init(folder: Path | None, game: str | None) -> None:
    """Create a contest in the folder DIR: a commented contest.toml and the database."""
    path = folder or chosen_path()
    settings = presets.settings(game or DEFAULT_GAME, SystemClock().now())
    if game:
        _must_not_be_of_another_game(path, game)
    made = create_contest(path, settings)
    click.echo(f"The contest is in {path}. Now edit {path / FILE_NAME} (the dates, the addresses), then")
    click.echo(f"    knobeln serve -C {path}     takes registrations and programs by mail")
    click.echo(f"    knobeln run -C {path}       plays the contest day")
    made.store.close()


def _must_not_be_of_another_game(path: Path, game: str) -> None:
    """A contest.toml that is there already is kept, and counts."""
    file = path / FILE_NAME
    if file.exists() and load_settings(path).game.name != game:
        raise ConfigError(f"{file} is of another game; remove it, or leave --game out to keep it")


def create_contest(
    path: Path, settings: Settings, *, seed: bytes | None = None, clock: Clock | None = None
) -> ContestContext:
    """A new contest folder; an existing contest.toml is kept and completed by a database.

    Raises ConfigError where there is a contest's database already.
    """
    # Others on the computer shall read neither passwords nor the contest's seed nor authentification strings.
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = path / FILE_NAME
    store = Store(url_of(path))
    if _holds_contest(store):
        raise ConfigError(f"there is a contest in {path} already, or in its database; nothing was changed")
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(settings_template(settings), encoding="utf-8")
    migrate.upgrade(store)
    with store.write() as tx:
        contest_store.create(tx, seed)
        contest_store.note(tx, "contest", "the contest was created", (clock or SystemClock()).now())
    store.close()
    return ContestContext.open(path)


def _holds_contest(store: Store) -> bool:
    """Not so where an earlier `init` was killed before its end."""
    if not migrate.is_made(store):
        return False
    with store.read() as tx:
        return contest_store.exists(tx)


@click.command(cls=ContestCommand)
def upgrade() -> None:
    """Bring the database to this version of knobeln."""
    load_settings(chosen_path())
    migrate.upgrade(existing_store(chosen_path()))
    click.echo("The database is up to date.")


@click.group(cls=ContestGroup, invoke_without_command=True)
@json_option
@click.pass_context
def teams(context: click.Context, as_json: bool) -> None:
    """Show the teams; accept or reject a registration that waits for you."""
    if context.invoked_subcommand is not None:
        return
    folder = contest_folder()
    own = [field.name for field in folder.settings.teams.fields]
    with folder.store.read() as tx:
        counts = submissions.count_versions(tx)
        troubles = outbox.troubles(tx)
        bans = decisions.all_bans(tx)
        facts = [
            _facts(tx, team, counts.get(team.id, 0), troubles.get(team.id), bans.get(team.name))
            for team in team_store.all_teams(tx)
        ]
    if as_json:
        print_json(facts)
        return
    columns = ("team", "address", *own, "preferences", "state", "#sent", "#counts")
    rows = [
        (
            f["name"],
            f["address"],
            *(f["fields"].get(name, "") for name in own),
            ",".join(f["preferences"]),
            f["state"] + (" *" if f["flags"] else "") + (" !" if f["undelivered"] else ""),
            f["versions"],
            f["latest_good"] or "-",
        )
        for f in facts
    ]
    table(f"{len(rows)} {form(len(rows), 'team')}", columns, rows)
    for f in facts:
        for flag in f["flags"]:
            click.echo(f"* {f['name']}: {flag}")
    for f in facts:
        if f["undelivered"]:
            click.echo(f"! {f['name']}: {_undelivered(f['undelivered'])}")


def _undelivered(trouble: dict[str, Any]) -> str:
    """How many mails a team did not get, and the reason of the newest."""
    many = f"{trouble['count']} {form(trouble['count'], 'mail')}"
    response = " ".join(str(trouble["response"]).split())
    return f"{many} did not arrive; `knobeln outbox show {trouble['item_id']}` {trouble['state']}: {response}"


def _facts(
    tx: Transaction, team: Team, versions: int, trouble: outbox.Trouble | None, ban: Ban | None
) -> dict[str, Any]:
    good = submissions.latest_good(tx, team.id)
    registration = team.registration
    return {
        "name": team.name,
        "requested_name": team.requested_name,
        "address": team.address,
        "organization": registration.organization,
        "preferences": [str(p) for p in registration.preferences],
        "fields": dict(registration.fields),
        "members": [vars(member) for member in registration.members],
        "state": str(ban.kind if ban else team.state),
        "registered_at": team.registered_at,
        "flags": list(team.flags),
        "versions": versions,
        "latest_good": good.number if good else None,
        "undelivered": vars(trouble) if trouble else None,
    }


@teams.command()
@click.argument("name")
@dry_run_option
def accept(name: str, dry_run: bool) -> None:
    """Accept the registration of team NAME, which waits or was withdrawn: it gets its string."""
    folder = contest_folder()
    with change(folder, dry_run=dry_run) as tx:
        now = folder.clock.now()
        team = _waiting(tx, name, TeamState.PENDING, TeamState.WITHDRAWN)
        accept_pending(tx, team, folder.settings, folder.templates, now)
        contest_store.note(tx, "teams", f"{name} was accepted", now, actor=operator(), whom=name)
    tell(f"{name} takes part; the answer is in the outbox.", dry_run=dry_run)


@teams.command()
@click.argument("name")
@click.option("--reason", required=True, help="What the team is told.")
@dry_run_option
def reject(name: str, reason: str, dry_run: bool) -> None:
    """Reject the registration of team NAME, which waits."""
    folder = contest_folder()
    with change(folder, dry_run=dry_run) as tx:
        now = folder.clock.now()
        team = _waiting(tx, name, TeamState.PENDING)
        reject_pending(tx, team, reason, folder.settings, folder.templates, now)
        text = f"{name} was rejected"
        contest_store.note(tx, "teams", text, now, actor=operator(), whom=name, reason=reason)
    tell(f"{name} does not take part; the answer is in the outbox.", dry_run=dry_run)


def _waiting(tx: Transaction, name: str, *states: TeamState) -> Team:
    team = team_store.by_name(tx, name)
    if team is None:
        raise NotFound(f"there is no team {name}; `knobeln teams` lists them")
    if team.state not in states:
        raise NotFound(f"{name} does not wait for a decision: it is {team.state}")
    return team
