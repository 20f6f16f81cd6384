"""practice: programs that are tried, and friendly matches

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not in batch mode, which would make the table anew: others refer to it.
    op.add_column("teams", sa.Column("friendly", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "practices",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=True),
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("program", sa.String(length=64), nullable=False),
        sa.Column("repairs", sa.JSON(), nullable=False),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"], name=op.f("fk_practices_letter_id_letters")),
        sa.ForeignKeyConstraint(["other_id"], ["teams.id"], name=op.f("fk_practices_other_id_teams")),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_practices_team_id_teams")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_practices")),
    )
    op.create_table(
        "practice_files",
        sa.Column("practice_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["practice_id"], ["practices.id"], name=op.f("fk_practice_files_practice_id_practices")
        ),
        sa.PrimaryKeyConstraint("practice_id", "name", name=op.f("pk_practice_files")),
    )
    op.create_table(
        "hill_games",
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("first_points", sa.BigInteger(), nullable=False),
        sa.Column("second_points", sa.BigInteger(), nullable=False),
        sa.Column("first_failed", sa.Boolean(), nullable=False),
        sa.Column("second_failed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["first"], ["builds.id"], name=op.f("fk_hill_games_first_builds")),
        sa.ForeignKeyConstraint(["second"], ["builds.id"], name=op.f("fk_hill_games_second_builds")),
        sa.PrimaryKeyConstraint("first", "second", name=op.f("pk_hill_games")),
    )
    op.create_table(
        "hill_rankings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("lines", sa.JSON(), nullable=False),
        sa.Column("mailed_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hill_rankings")),
    )
    with op.batch_alter_table("practices") as batch_op:
        batch_op.create_index("ix_practices_state_id", ["state", "id"])
        batch_op.create_index("ix_practices_team_id_asked_at", ["team_id", "asked_at"])


def downgrade() -> None:
    op.drop_table("hill_rankings")
    op.drop_table("hill_games")
    op.drop_table("practice_files")
    op.drop_table("practices")
    op.drop_column("teams", "friendly")
