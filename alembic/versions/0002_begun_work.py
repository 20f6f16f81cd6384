"""what was begun and has not ended; which letters are large, and what they said

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
    op.add_column(
        "letters", sa.Column("is_large", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column("letters", sa.Column("content", sa.String(64), nullable=True))
    op.drop_index("ix_letters_state_id", "letters")
    op.create_index("ix_letters_state_is_large_id", "letters", ["state", "is_large", "id"])
    op.create_index(
        "ix_letters_state_is_large_sender_id", "letters", ["state", "is_large", "sender", "id"]
    )
    op.create_table(
        "begun",
        sa.Column("work", sa.String(64), primary_key=True),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("process", sa.Text, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
    )
