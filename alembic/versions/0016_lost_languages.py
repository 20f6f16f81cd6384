"""which languages teams could use, and which programs wait because a host has lost theirs

Revision ID: 0016
Revises: 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("contest", sa.Column("languages", sa.JSON(), nullable=True))
    op.add_column("submissions", sa.Column("waits_for", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("submissions", "waits_for")
    op.drop_column("contest", "languages")
