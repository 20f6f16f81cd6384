"""lists of entries, and the public number that the seed is made of

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("contest", sa.Column("number", sa.LargeBinary(), nullable=True))
    op.add_column("contest", sa.Column("number_source", sa.Text(), nullable=True))
    op.create_table(
        "entry_lists",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("is_final", sa.Boolean(), nullable=False),
        sa.Column("entries", sa.JSON(), nullable=False),
        sa.Column("absent", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_entry_lists")),
    )


def downgrade() -> None:
    op.drop_table("entry_lists")
    op.drop_column("contest", "number_source")
    op.drop_column("contest", "number")
