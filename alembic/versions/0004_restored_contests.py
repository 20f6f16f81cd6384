"""the facts that a contest keeps after it was restored from a backup

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
        "already_sent",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_already_sent")),
    )
    op.create_table(
        "delivery_stop",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_delivery_stop_only_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery_stop")),
    )
