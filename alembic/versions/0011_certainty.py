"""how sure the ranking is, instead of replays of the final

Revision ID: 0011
Revises: 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_table("final_replays")
    op.create_table(
        "certainty",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_certainty_only_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_certainty")),
    )


def downgrade() -> None:
    op.drop_table("certainty")
    op.create_table(
        "final_replays",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("firsts", sa.JSON(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_final_replays_only_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_final_replays")),
    )
