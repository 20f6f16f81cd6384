"""which process builds a submission or plays a practice game, and until when nobody else does

Revision ID: 0014
Revises: 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_QUEUES = ("submissions", "practices")


def upgrade() -> None:
    for table in _QUEUES:
        op.add_column(table, sa.Column("claimed_by", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("claimed_until", sa.DateTime(), nullable=True))


def downgrade() -> None:
    for table in _QUEUES:
        op.drop_column(table, "claimed_until")
        op.drop_column(table, "claimed_by")
