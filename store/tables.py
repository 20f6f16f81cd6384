"""All tables. A contest folder has one database, and a new one is made with these tables."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    event,
    false,
    true,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import SchemaItem

from contest.util.program_files import MAX_PATH_CHARS

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Moment(TypeDecorator[datetime]):
    """An aware datetime, stored as UTC without a zone, because SQLite has no zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


def _table(name: str, *parts: SchemaItem) -> Table:
    return Table(name, metadata, *parts)


_Json = JSON(none_as_null=True)  # None is NULL, and not the text `null`

contest = _table(
    "contest",
    Column("id", Integer, primary_key=True),
    # What the seed of the first tournament is made of, `ContestSeed.secret`; its sha256 names the
    # ledger.
    Column("seed", LargeBinary, nullable=False),
    # The secret of the last tournament that there can be. Each secret is the sha256 of the next
    # one, so the first sha256 fixes them all. NULL: the first one was given, and there is no next
    # one.
    Column("last_seed", LargeBinary, nullable=True),
    # Never published, unlike the seed; it signs bounce addresses and Message-IDs.
    Column("secret", LargeBinary, nullable=False),
    Column("paused_at", Moment, nullable=True),
    Column("pause_reason", Text, nullable=True),
    Column("paused_until", Moment, nullable=True),  # NULL: until the organizer resumes
    Column("reports_held_at", Moment, nullable=True),  # from then on reports are queued as held
    # a SeasonTable; NULL: the season goes on, or there is none
    Column("season", _Json, nullable=True),
    # Of the organizer's string for commands by mail; NULL: there is none.
    Column("organizer_digest", String(64), nullable=True),
    Column("run_ordered_at", Moment, nullable=True),  # `serve` has to start the run
    Column("signing_key", LargeBinary, nullable=False),  # Ed25519; it signs receipts
    # that teams could ever use here; NULL: not noted yet
    Column("languages", _Json, nullable=True),
    CheckConstraint("id = 1", name="only_one"),
)

# of the season, one after the other; the newest is the one that everything is about
tournaments = _table(
    "tournaments",
    Column("id", Integer, primary_key=True, autoincrement=False),  # 1, 2, ...
    Column("phase", String(16), nullable=False),
    # of the list of entries; NULL: it is not final yet
    Column("entries_root", LargeBinary, nullable=True),
    # the public number, empty without one; NULL: not known yet
    Column("number", LargeBinary, nullable=True),
    Column("number_source", Text, nullable=True),  # the text that it was read from
    Column("settings", _Json, nullable=True),  # as they were when it started; they never change
    Column("started_at", Moment, nullable=True),
    Column("finished_at", Moment, nullable=True),
    # {name: [date in contest.toml at that time, moved date]}, both as of the first tournament
    Column("moved_dates", _Json, nullable=True),
    # [[when, seconds for a move before, and after], ...]
    Column("time_changes", _Json, nullable=True),
    Column("due_at", Moment, nullable=True),  # when `serve` ordered its run by its date
)


def _of_tournament(*, primary_key: bool = False) -> Column[int]:
    return Column(
        "tournament", ForeignKey("tournaments.id"), nullable=False, primary_key=primary_key
    )


journal = _table(
    "journal",
    Column("id", Integer, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("area", String(32), nullable=False),  # "teams", "run", "delivery" ...
    Column("text", Text, nullable=False),
    Column("actor", Text, nullable=False),  # who did it; "": the program itself
    Column("whom", Text, nullable=False),  # the team, round, mail ... concerned
    Column("reason", Text, nullable=False),
)

letters = _table(
    "letters",
    Column("id", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("received_at", Moment, nullable=False),
    Column("sender", Text, nullable=False),
    Column("recipients", JSON, nullable=False),
    Column("channel", String(32), nullable=False),
    # the address that SMTP brought it from
    Column("client", Text, nullable=False, server_default=""),
    Column("state", String(16), nullable=False),
    # it waits behind usual ones
    Column("is_large", Boolean, nullable=False, server_default=false()),
    Column("message_id", Text, nullable=True, index=True),
    # sha256 of what it says, by which a copy is known
    Column("content", String(64), nullable=True),
    Column("note", Text, nullable=False),  # the outcome, or the traceback
    Column("raw", LargeBinary, nullable=False),
    # The limit that is used up, such as `domain a.example`; `list`: it is told to the organizer
    # with others.
    Column("waits_for", Text, nullable=True, index=True),
    Column("waits_until", Moment, nullable=True),  # and when to try again
    Column("network", Text, nullable=True),  # of letters that have waited: where they came from
    Index("ix_letters_state_is_large_id", "state", "is_large", "id"),
    Index("ix_letters_state_is_large_sender_id", "state", "is_large", "sender", "id"),
)

begun = _table(
    # What a process has begun and not finished. The row goes with the transaction that finishes the
    # work.
    "begun",
    Column("work", String(64), primary_key=True),  # such as `letter/17`
    # by how many processes, of which all but the last are gone
    Column("times", Integer, nullable=False),
    Column("process", Text, nullable=False),  # the last one, as in `Claimant`
    Column("at", Moment, nullable=False),
)

ledger = _table(
    # What letters and the organizer have done. The triggers below refuse to change or delete a row.
    "ledger",
    Column("number", Integer, primary_key=True, autoincrement=False),  # 1, 2, ...
    Column("leaf_hash", LargeBinary, nullable=False, unique=True),
    # of the tree that ends with this leaf, one after the other
    Column("peaks", LargeBinary, nullable=False),
    Column("effect", String(64), nullable=False),
    # a name, as the team may be removed later; "" = none
    Column("team", String(30), nullable=False),
    Column("at", Moment, nullable=False),
    Column("letter", String(64), nullable=False),  # sha256, as in `letters`
    # of the program, the list or the number; "" without one
    Column("digest", String(64), nullable=False),
)
cosignatures = _table(  # of the ledger, by witnesses who were asked for one
    "cosignatures",
    # of the entry up to which they sign
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("witness", Text, primary_key=True),  # its key
    Column("signature", LargeBinary, nullable=True),  # with its time; NULL: none has come
)
_REFUSAL = "the ledger only grows"
_TRIGGERS = {
    "sqlite": tuple(
        f"CREATE TRIGGER ledger_no_{change.lower()} BEFORE {change} ON ledger "
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        for change in ("UPDATE", "DELETE")
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$",
        "CREATE TRIGGER ledger_only_grows BEFORE UPDATE OR DELETE ON ledger "
        "FOR EACH ROW EXECUTE FUNCTION ledger_only_grows()",
    ),
}
for _dialect, _statements in _TRIGGERS.items():
    for _statement in _statements:
        _trigger = DDL(_statement)  # type: ignore[no-untyped-call]
        event.listen(ledger, "after_create", _trigger.execute_if(dialect=_dialect))

teams = _table(
    "teams",
    Column("id", Integer, primary_key=True),
    Column("name", String(30), nullable=False),
    # Casefolded: names that differ only in case conflict.
    Column("name_key", String(30), nullable=False, unique=True),
    Column("requested_name", String(30), nullable=False),
    Column("address", Text, nullable=False),
    Column("address_key", Text, nullable=False, unique=True),
    Column("organization", Text, nullable=False),
    Column("organization_key", Text, nullable=False, index=True),
    Column("members", JSON, nullable=False),
    Column("preferences", JSON, nullable=False),
    Column("fields", JSON, nullable=False),  # the contest's own fields: [[name, value], ...]
    Column("auth_digest", String(64), nullable=False, unique=True),
    # Of a new string that was not yet used.
    Column("offered_digest", String(64), nullable=True, unique=True, index=True),
    Column("state", String(16), nullable=False, index=True),
    Column("flags", JSON, nullable=False),
    Column("letter_id", ForeignKey("letters.id"), nullable=True),
    Column("registered_at", Moment, nullable=False),
    # its address is read
    Column("proved", Boolean, nullable=False, server_default=true(), index=True),
    # the number of the newest that it got
    Column("receipt", Integer, nullable=False, server_default="0"),
)

team_members = _table(  # the names in `teams.members`, to find people who are in two teams
    "team_members",
    Column("team_id", ForeignKey("teams.id"), primary_key=True),
    Column("number", Integer, primary_key=True),  # 1, 2, ...
    Column("name_key", Text, nullable=False, index=True),  # casefolded, with single blanks
)

class_people = _table(  # the list that `class invite` read
    "class_people",
    Column("id", Integer, primary_key=True),
    Column("address_key", Text, nullable=False, unique=True),
    Column("address", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("team", Text, nullable=False),
    Column("columns", JSON, nullable=False),  # [[heading, text], ...]
)

bans = _table(
    "bans",
    Column("id", Integer, primary_key=True),
    _of_tournament(),  # it does not hold in the next one
    Column("team_id", ForeignKey("teams.id"), nullable=False, index=True),
    Column("kind", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("lifted_at", Moment, nullable=True),
)

submissions = _table(
    "submissions",
    Column("id", Integer, primary_key=True),
    Column("team_id", ForeignKey("teams.id"), nullable=False),
    Column("letter_id", ForeignKey("letters.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("state", String(16), nullable=False),
    # the path of one of its files; "" while unknown
    Column("program", String(MAX_PATH_CHARS), nullable=False),
    Column("description", Text, nullable=False),  # the text of the letter
    Column("repairs", JSON, nullable=False),  # repairs of the letter's program, as sentences
    # the letter's Message-ID, for the report's In-Reply-To
    Column("reply_to", Text, nullable=True),
    Column("claimed_by", Text, nullable=True),  # the process that builds it; NULL: nobody does
    Column("claimed_until", Moment, nullable=True),  # from then on another process may build it
    # A language that a host has lost: queued programs that wait for it are left out. NULL: it waits
    # for none.
    Column("waits_for", Text, nullable=True),
    UniqueConstraint("team_id", "number"),
    Index("ix_submissions_state_id", "state", "id"),
)

sent_files = _table(
    "sent_files",
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True),
    Column("name", String(MAX_PATH_CHARS), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

images = _table(
    "images",
    Column("digest", String(64), primary_key=True),
    Column("image", LargeBinary, nullable=False),
)

builds = _table(
    "builds",
    Column("id", Integer, primary_key=True),
    Column("submission_id", ForeignKey("submissions.id"), nullable=False, unique=True),
    Column("built_at", Moment, nullable=False),
    Column("accepted", Boolean, nullable=False),
    Column("report", JSON, nullable=False),
    Column("image_digest", ForeignKey("images.digest"), nullable=True),
)

practices = _table(
    "practices",
    Column("id", Integer, primary_key=True),
    Column("team_id", ForeignKey("teams.id"), nullable=False),
    Column("letter_id", ForeignKey("letters.id"), nullable=False),
    Column("asked_at", Moment, nullable=False),
    Column("state", String(16), nullable=False),
    Column("program", String(MAX_PATH_CHARS), nullable=False),  # as in submissions
    Column("description", Text, nullable=False),
    Column("repairs", JSON, nullable=False),
    Column("reply_to", Text, nullable=True),
    Column("claimed_by", Text, nullable=True),  # as in submissions
    Column("claimed_until", Moment, nullable=True),
    Index("ix_practices_state_id", "state", "id"),
    Index("ix_practices_team_id_asked_at", "team_id", "asked_at"),
)

practice_files = _table(
    "practice_files",
    Column("practice_id", ForeignKey("practices.id"), primary_key=True),
    Column("name", String(MAX_PATH_CHARS), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

ladder_games = _table(
    "ladder_games",
    Column("first", ForeignKey("builds.id"), primary_key=True),  # the build with the lower id
    Column("second", ForeignKey("builds.id"), primary_key=True),
    Column("first_points", BigInteger, nullable=False),
    Column("second_points", BigInteger, nullable=False),
    Column("first_failed", Boolean, nullable=False),
    Column("second_failed", Boolean, nullable=False),
)

ladder_rankings = _table(
    "ladder_rankings",
    Column("id", Integer, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("lines", JSON, nullable=False),
)

entries = _table(
    "entries",
    Column("id", Integer, primary_key=True),
    _of_tournament(),
    Column("name", String(30), nullable=False),
    Column("team_id", ForeignKey("teams.id"), nullable=False),
    Column("build_id", ForeignKey("builds.id"), nullable=False),
    UniqueConstraint("tournament", "name"),
    UniqueConstraint("tournament", "team_id"),
)

rounds = _table(
    "rounds",
    _of_tournament(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("final", Boolean, nullable=False),
    Column("planned_at", Moment, nullable=False),
    Column("played_at", Moment, nullable=True),  # when all groups were finished
    Column("words", Text, nullable=True),  # the organizer's own text about it
    Column("reported_at", Moment, nullable=True),  # when the summary went out
)

groups = _table(
    "groups",
    Column("id", Integer, primary_key=True),
    Column("tournament", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("title", String(64), nullable=False),
    Column("started_at", Moment, nullable=True),
    Column("finished_at", Moment, nullable=True),
    ForeignKeyConstraint(["tournament", "round"], ["rounds.tournament", "rounds.number"]),
    UniqueConstraint("tournament", "round", "number"),
)

members = _table(
    "members",
    Column("group_id", ForeignKey("groups.id"), primary_key=True),
    Column("place", Integer, primary_key=True),  # index in the order of the draw
    Column("entry_id", ForeignKey("entries.id"), nullable=False),
    # index in the ranking; NULL until the group is finished
    Column("position", Integer, nullable=True),
    Column("half_points", BigInteger, nullable=True),
    Column("rank", Integer, nullable=True),
    Column("failures", Integer, nullable=True),
    Column("disqualified", Boolean, nullable=True),
    Column("advances", Boolean, nullable=True),
    UniqueConstraint("group_id", "entry_id"),
)

pairings = _table(
    "pairings",
    Column("group_id", ForeignKey("groups.id"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("players", JSON, nullable=False),  # ids of entries, in the order of the seats
    Column("games", Integer, nullable=False),
    Column("most", Integer, nullable=False),
)

matches = _table(
    "matches",
    Column("id", Integer, primary_key=True),
    Column("group_id", Integer, nullable=False),
    Column("pairing", Integer, nullable=False),  # its index
    Column("game", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("flawless", Boolean, nullable=False),
    # JSON as text, see GameRow: SQLAlchemy would read and write each of many thousand values by
    # itself.
    Column("result", Text, nullable=False),
    Column("moves", Text, nullable=True),  # turn by turn, of games that cannot be played again
    Column("usage", Text, nullable=True),  # of programs that are asked for moves, by seat
    ForeignKeyConstraint(["group_id", "pairing"], ["pairings.group_id", "pairings.place"]),
    UniqueConstraint("group_id", "pairing", "game", "attempt"),
)

evolution = _table(
    "evolution",
    _of_tournament(primary_key=True),
    Column("facts", JSON, nullable=False),  # an EvolutionOutcome
)

reruns = _table(
    "reruns",
    Column("id", Integer, primary_key=True),
    _of_tournament(),
    Column("at", Moment, nullable=False),
    Column("round", Integer, nullable=False),
    Column("group", Integer, nullable=True),  # NULL: the complete round
    Column("reason", Text, nullable=False),
)

former_groups = _table(
    "former_groups",
    Column("id", Integer, primary_key=True),
    Column("rerun_id", ForeignKey("reruns.id"), nullable=False, index=True),
    Column("released_at", Moment, nullable=True),  # NULL: the results of its round had not gone out
    Column("outcome", JSON, nullable=False),  # plan, matches and standings
)

engine_failures = _table(
    "engine_failures",
    # the digest of a program, or what was being done
    Column("culprit", String(64), primary_key=True),
    # at which it failed; "" if the culprit is no program
    Column("move", String(64), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("at", Moment, nullable=False),  # of the last one
)

confirmations = _table(
    "confirmations",
    Column("id", Integer, primary_key=True),
    Column("token_digest", String(64), nullable=False, unique=True),
    Column("order", JSON, nullable=False),  # an Order
    Column("asked_at", Moment, nullable=False),
    Column("used_at", Moment, nullable=True),
)

certainty = _table(
    "certainty",
    _of_tournament(primary_key=True),
    Column("facts", JSON, nullable=False),  # a Certainty
)

worst_games = _table(
    "worst_games",
    Column("group_id", ForeignKey("groups.id"), primary_key=True),
    Column("entry_id", ForeignKey("entries.id"), primary_key=True),
    Column("facts", JSON, nullable=False),  # a WorstGame
)

contents = _table(
    "contents",
    Column("digest", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

outbox = _table(
    "outbox",
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("kind", String(64), nullable=False),
    Column("team_id", ForeignKey("teams.id"), nullable=True, index=True),
    Column("to", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("message_id", Text, nullable=False, unique=True),
    Column("head", LargeBinary, nullable=False),  # the mail's own header lines
    Column("lead", LargeBinary, nullable=False),  # what its text begins with
    Column("told", String(64), nullable=False),  # sha256 of all but the receipt, which may change
    # MIME headers and body, shared by many mails.
    Column("content", ForeignKey("contents.digest"), nullable=False),
    Column("state", String(16), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("last_response", Text, nullable=False),
    Column("finished_at", Moment, nullable=True),
    # from then on it may be sent; our patience begins then
    Column("ready_at", Moment, nullable=False),
    # when it was last sent again, for a repeated letter
    Column("repeated_at", Moment, nullable=True),
    # When the last attempt began, unless it is known how it ended, and how many such attempts there
    # are.
    Column("sending_since", Moment, nullable=True),
    Column("unfinished", Integer, nullable=False, server_default="0"),
    # the letter that it answers
    Column("letter_id", ForeignKey("letters.id"), nullable=True, index=True),
    Column("is_report", Boolean, nullable=False),  # ordered by its team, and held with the reports
    Column("round", Integer, nullable=True),  # that a report is about
    Column("group", Integer, nullable=True),
    Index("ix_outbox_state_due_at", "state", "due_at"),
    Index("ix_outbox_to_ready_at", "to", "ready_at"),
)

answers = _table(  # each answer to a letter, as often as it was sent: what the limits count
    "answers",
    Column("id", Integer, primary_key=True),
    Column("at", Moment, nullable=False),  # when it may go out
    Column("letter_id", ForeignKey("letters.id"), nullable=False, index=True),
    Column("template", String(64), nullable=False),
    Column("mailbox", Text, nullable=False),  # of its reader, as `mailbox_of` writes it
    # of mailboxes that may be one, as `family_of` writes it
    Column("family", Text, nullable=False),
    Column("domain", Text, nullable=False),  # its registered one, as `provider_of` writes it
    Column("writer", Text, nullable=False),  # the mailbox of the letter's writer
    Column("network", Text, nullable=False),  # that the letter came from; "" = not known
    Column("proved", Boolean, nullable=False),  # the letter showed that it comes from the reader
    Index("ix_answers_mailbox_at", "mailbox", "at"),
    Index("ix_answers_family_at", "family", "at"),
    Index("ix_answers_domain_at", "domain", "at"),
    Index("ix_answers_writer_at", "writer", "at"),
    Index("ix_answers_network_at", "network", "at"),
    Index("ix_answers_at", "at"),
)

bounces = _table(
    "bounces",
    Column("letter_id", ForeignKey("letters.id"), primary_key=True),
    Column("outbox_id", ForeignKey("outbox.id"), nullable=False, index=True),
    Column("at", Moment, nullable=False),
    Column("permanent", Boolean, nullable=False),
    Column("diagnosis", Text, nullable=False),
)

already_sent = _table(  # mails that had gone out before a backup was restored
    "already_sent",
    Column("message_id", Text, primary_key=True),
    Column("told", String(64), nullable=False),  # as in `outbox`
)

delivery_stop = _table(  # while this table has its one row, no mail goes out
    "delivery_stop",
    Column("id", Integer, primary_key=True),
    Column("since", Moment, nullable=False),
    Column("reason", Text, nullable=False),
    CheckConstraint("id = 1", name="only_one"),
)

entry_lists = _table(
    # Every list of entries that went out. It only grows.
    "entry_lists",
    _of_tournament(primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1
    Column("at", Moment, nullable=False),
    Column("is_final", Boolean, nullable=False),
    Column("entries", JSON, nullable=False),  # [[team, program, build], ...]
    Column("absent", JSON, nullable=False),  # [[team, why it is not on the list], ...]
)
