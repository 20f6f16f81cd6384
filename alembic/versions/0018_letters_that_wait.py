"""letters that wait for room within the limits, and groups of mailboxes that may be one

Revision ID: 0018
Revises: 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("letters", sa.Column("waits_for", sa.Text(), nullable=True))
    op.add_column("letters", sa.Column("waits_until", sa.DateTime(), nullable=True))
    op.add_column("letters", sa.Column("network", sa.Text(), nullable=True))
    op.create_index("ix_letters_waits_for", "letters", ["waits_for"])
    op.add_column("answers", sa.Column("family", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("answers") as answers:
        answers.alter_column("family", server_default=None)
    op.create_index("ix_answers_family_at", "answers", ["family", "at"])


def downgrade() -> None:
    op.drop_index("ix_answers_family_at", "answers")
    op.drop_column("answers", "family")
    op.drop_index("ix_letters_waits_for", "letters")
    op.drop_column("letters", "network")
    op.drop_column("letters", "waits_until")
    op.drop_column("letters", "waits_for")
