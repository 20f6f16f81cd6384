"""the moves of text games, and the replays of the final

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("matches") as table:
        table.add_column(sa.Column("moves", sa.JSON(), nullable=True))
    op.create_table(
        "final_replays",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("firsts", sa.JSON(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_final_replays_only_one")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_final_replays")),
    )


def downgrade() -> None:
    op.drop_table("final_replays")
    with op.batch_alter_table("matches") as table:
        table.drop_column("moves")
