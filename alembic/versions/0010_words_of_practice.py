"""the words of a letter with a practice program; changes of the time for a move; step mode

Revision ID: 0010
Revises: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("practices", sa.Column("description", sa.Text(), nullable=False, server_default=""))
    op.add_column("contest", sa.Column("time_changes", sa.JSON(), nullable=True))
    op.add_column("contest", sa.Column("show", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("contest", "show")
    op.drop_column("contest", "time_changes")
    op.drop_column("practices", "description")
