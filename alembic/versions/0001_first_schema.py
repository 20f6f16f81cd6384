"""the first schema

Revision ID: 0001
Revises: nothing
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "contents",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_contents")),
    )
    op.create_table(
        "contest",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=True),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.CheckConstraint("id = 1", name=op.f("ck_contest_only_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_contest")),
    )
    op.create_table(
        "evolution",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("ending", sa.String(length=32), nullable=False),
        sa.Column("cycle_start", sa.Integer(), nullable=True),
        sa.Column("generations", sa.JSON(), nullable=False),
        sa.Column("entries", sa.JSON(), nullable=False),
        sa.Column("ranking", sa.JSON(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_evolution_only_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evolution")),
    )
    op.create_table(
        "images",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("image", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_images")),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("area", sa.String(length=32), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
    )
    op.create_table(
        "letters",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("received_at", sa.DateTime(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("recipients", sa.JSON(), nullable=False),
        sa.Column("channel", sa.String(length=32), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letters")),
        sa.UniqueConstraint("digest", name=op.f("uq_letters_digest")),
    )
    with op.batch_alter_table("letters", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_letters_message_id"), ["message_id"], unique=False)
        batch_op.create_index("ix_letters_state_id", ["state", "id"], unique=False)

    op.create_table(
        "rounds",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("planned_at", sa.DateTime(), nullable=False),
        sa.Column("played_at", sa.DateTime(), nullable=True),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("reported_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_rounds")),
    )
    op.create_table(
        "groups",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=64), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["round"], ["rounds.number"], name=op.f("fk_groups_round")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sa.UniqueConstraint("round", "number", name=op.f("uq_groups_round_number")),
    )
    op.create_table(
        "teams",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=30), nullable=False),
        sa.Column("name_key", sa.String(length=30), nullable=False),
        sa.Column("requested_name", sa.String(length=30), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("address_key", sa.Text(), nullable=False),
        sa.Column("organization", sa.Text(), nullable=False),
        sa.Column("organization_key", sa.Text(), nullable=False),
        sa.Column("members", sa.JSON(), nullable=False),
        sa.Column("preferences", sa.JSON(), nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("auth_digest", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("flags", sa.JSON(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=True),
        sa.Column("registered_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"], name=op.f("fk_teams_letter_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_teams")),
        sa.UniqueConstraint("address_key", name=op.f("uq_teams_address_key")),
        sa.UniqueConstraint("auth_digest", name=op.f("uq_teams_auth_digest")),
        sa.UniqueConstraint("name_key", name=op.f("uq_teams_name_key")),
    )
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_teams_organization_key"), ["organization_key"], unique=False)

    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=True),
        sa.Column("to", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("last_response", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.Column("ready_at", sa.DateTime(), nullable=False),
        sa.Column("repeated_at", sa.DateTime(), nullable=True),
        sa.Column("letter_id", sa.Integer(), nullable=True),
        sa.Column("cause", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["content"], ["contents.digest"], name=op.f("fk_outbox_content")),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"], name=op.f("fk_outbox_letter_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_outbox_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index("ix_outbox_state_due_at", ["state", "due_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_outbox_team_id"), ["team_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_outbox_letter_id"), ["letter_id"], unique=False)
        batch_op.create_index("ix_outbox_to_ready_at", ["to", "ready_at"], unique=False)
        batch_op.create_index("ix_outbox_cause_ready_at", ["cause", "ready_at"], unique=False)

    op.create_table(
        "bounces",
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("permanent", sa.Boolean(), nullable=False),
        sa.Column("diagnosis", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"], name=op.f("fk_bounces_letter_id")),
        sa.ForeignKeyConstraint(["outbox_id"], ["outbox.id"], name=op.f("fk_bounces_outbox_id")),
        sa.PrimaryKeyConstraint("letter_id", name=op.f("pk_bounces")),
    )
    with op.batch_alter_table("bounces", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bounces_outbox_id"), ["outbox_id"], unique=False)

    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("program", sa.String(length=64), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("repairs", sa.JSON(), nullable=False),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"], name=op.f("fk_submissions_letter_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_submissions_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("team_id", "number", name=op.f("uq_submissions_team_id_number")),
    )
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.create_index("ix_submissions_state_id", ["state", "id"], unique=False)

    op.create_table(
        "sent_files",
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f("fk_sent_files_submission_id")
        ),
        sa.PrimaryKeyConstraint("submission_id", "name", name=op.f("pk_sent_files")),
    )
    op.create_table(
        "builds",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("built_at", sa.DateTime(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("image_digest", sa.String(length=64), nullable=True),
        sa.ForeignKeyConstraint(["image_digest"], ["images.digest"], name=op.f("fk_builds_image_digest")),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_builds_submission_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_builds")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_builds_submission_id")),
    )
    op.create_table(
        "win_rates",
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("rate", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["first"], ["builds.id"], name=op.f("fk_win_rates_first")),
        sa.ForeignKeyConstraint(["second"], ["builds.id"], name=op.f("fk_win_rates_second")),
        sa.PrimaryKeyConstraint("first", "second", name=op.f("pk_win_rates")),
    )
    op.create_table(
        "entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=30), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("build_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_entries_build_id")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_entries_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entries")),
        sa.UniqueConstraint("name", name=op.f("uq_entries_name")),
        sa.UniqueConstraint("team_id", name=op.f("uq_entries_team_id")),
    )
    op.create_table(
        "members",
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("half_points", sa.BigInteger(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=True),
        sa.Column("disqualified", sa.Boolean(), nullable=True),
        sa.Column("advances", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["entry_id"], ["entries.id"], name=op.f("fk_members_entry_id")),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_members_group_id")),
        sa.PrimaryKeyConstraint("group_id", "place", name=op.f("pk_members")),
        sa.UniqueConstraint("group_id", "entry_id", name=op.f("uq_members_group_id_entry_id")),
    )
    op.create_table(
        "pairings",
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("players", sa.JSON(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("most", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_pairings_group_id")),
        sa.PrimaryKeyConstraint("group_id", "place", name=op.f("pk_pairings")),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("pairing", sa.Integer(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("flawless", sa.Boolean(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=16), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id", "pairing"],
            ["pairings.group_id", "pairings.place"],
            name=op.f("fk_matches_group_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint(
            "group_id",
            "pairing",
            "game",
            "attempt",
            name=op.f("uq_matches_group_id_pairing_game_attempt"),
        ),
    )


def downgrade() -> None:
    op.drop_table("matches")
    op.drop_table("pairings")
    op.drop_table("members")
    op.drop_table("entries")
    op.drop_table("builds")
    with op.batch_alter_table("submissions", schema=None) as batch_op:
        batch_op.drop_index("ix_submissions_state_id")

    op.drop_table("submissions")
    with op.batch_alter_table("bounces", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bounces_outbox_id"))

    op.drop_table("bounces")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index("ix_outbox_cause_ready_at")
        batch_op.drop_index("ix_outbox_to_ready_at")
        batch_op.drop_index(batch_op.f("ix_outbox_letter_id"))
        batch_op.drop_index(batch_op.f("ix_outbox_team_id"))
        batch_op.drop_index("ix_outbox_state_due_at")

    op.drop_table("outbox")
    with op.batch_alter_table("teams", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_teams_organization_key"))

    op.drop_table("teams")
    op.drop_table("groups")
    op.drop_table("rounds")
    with op.batch_alter_table("letters", schema=None) as batch_op:
        batch_op.drop_index("ix_letters_state_id")
        batch_op.drop_index(batch_op.f("ix_letters_message_id"))

    op.drop_table("letters")
    op.drop_table("journal")
    op.drop_table("images")
    op.drop_table("evolution")
    op.drop_table("contest")
    op.drop_table("contents")
