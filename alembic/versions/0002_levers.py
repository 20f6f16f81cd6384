"""the organizer's actions, and a journal of them with actor, target and reason

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("contest") as batch:
        batch.add_column(sa.Column("paused_at", sa.DateTime(), nullable=True))
        batch.add_column(sa.Column("pause_reason", sa.Text(), nullable=True))
        batch.add_column(sa.Column("paused_until", sa.DateTime(), nullable=True))
        batch.add_column(sa.Column("reports_held_at", sa.DateTime(), nullable=True))
        batch.add_column(sa.Column("moved_dates", sa.JSON(), nullable=True))
        batch.add_column(sa.Column("organizer_digest", sa.String(length=64), nullable=True))
        batch.add_column(sa.Column("run_ordered_at", sa.DateTime(), nullable=True))
    with op.batch_alter_table("journal") as batch:
        batch.add_column(sa.Column("actor", sa.Text(), nullable=True))
        batch.add_column(sa.Column("whom", sa.Text(), nullable=True))
        batch.add_column(sa.Column("reason", sa.Text(), nullable=True))
    op.create_table(
        "bans",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("lifted_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_bans_team_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bans")),
    )
    op.create_index(op.f("ix_bans_team_id"), "bans", ["team_id"])
    op.create_table(
        "reruns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("group", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reruns")),
    )
    op.create_table(
        "former_groups",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("rerun_id", sa.Integer(), nullable=False),
        sa.Column("finished_at", sa.DateTime(), nullable=False),
        sa.Column("words", sa.Text(), nullable=True),
        sa.Column("outcome", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["rerun_id"], ["reruns.id"], name=op.f("fk_former_groups_rerun_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_former_groups")),
    )
    op.create_index(op.f("ix_former_groups_rerun_id"), "former_groups", ["rerun_id"])
    op.create_table(
        "confirmations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token_digest", sa.String(length=64), nullable=False),
        sa.Column("order", sa.JSON(), nullable=False),
        sa.Column("asked_at", sa.DateTime(), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_confirmations")),
        sa.UniqueConstraint("token_digest", name=op.f("uq_confirmations_token_digest")),
    )
