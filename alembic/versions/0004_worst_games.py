"""what decided everybody's worst game

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "worst_games",
        sa.Column("entry_id", sa.Integer, sa.ForeignKey("entries.id"), primary_key=True),
        sa.Column("facts", sa.JSON, nullable=False),
    )
