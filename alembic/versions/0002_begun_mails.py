"""whether sending a mail was begun and has not ended

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
    op.add_column("outbox", sa.Column("sending_since", sa.DateTime, nullable=True))
    op.add_column("outbox", sa.Column("unfinished", sa.Integer, nullable=False, server_default="0"))
