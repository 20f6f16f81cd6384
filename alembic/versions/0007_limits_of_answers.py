"""what the limits of answers count, letters' network addresses, and addresses of teams that somebody reads

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_INDEXED_WITH_TIME = ("mailbox", "domain", "writer", "network")


def upgrade() -> None:
    op.add_column("letters", sa.Column("client", sa.Text(), nullable=False, server_default=""))
    op.add_column("teams", sa.Column("proved", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.drop_index("ix_outbox_cause_ready_at", "outbox")
    op.drop_column("outbox", "cause")
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("template", sa.String(length=64), nullable=False),
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("writer", sa.Text(), nullable=False),
        sa.Column("network", sa.Text(), nullable=False),
        sa.Column("proved", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letters.id"], name=op.f("fk_answers_letter_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
    )
    op.create_index("ix_answers_letter_id", "answers", ["letter_id"])
    op.create_index("ix_answers_at", "answers", ["at"])
    for name in _INDEXED_WITH_TIME:
        op.create_index(f"ix_answers_{name}_at", "answers", [name, "at"])


def downgrade() -> None:
    op.drop_table("answers")
    op.add_column("outbox", sa.Column("cause", sa.Text(), nullable=True))
    op.create_index("ix_outbox_cause_ready_at", "outbox", ["cause", "ready_at"])
    op.drop_column("teams", "proved")
    op.drop_column("letters", "client")
