"""the ledger of letters, the key that signs its receipts, and the root of the list of entries

A contest that exists already gets no key, and so keeps no ledger: its teams were never told the key.

Revision ID: 0012
Revises: 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_REFUSED = "the ledger only grows"


def upgrade() -> None:
    op.add_column("contest", sa.Column("signing_key", sa.LargeBinary(), nullable=True))
    op.add_column("contest", sa.Column("entries_root", sa.LargeBinary(), nullable=True))
    op.create_table(
        "ledger",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("leaf_hash", sa.LargeBinary(), nullable=False),
        sa.Column("peaks", sa.LargeBinary(), nullable=False),
        sa.Column("effect", sa.String(length=64), nullable=False),
        sa.Column("team", sa.String(length=30), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("letter", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_ledger")),
        sa.UniqueConstraint("leaf_hash", name=op.f("uq_ledger_leaf_hash")),
    )
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER ledger_no_{change.lower()} BEFORE {change} ON ledger "
                f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}'); END"
            )
    elif op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE OR REPLACE FUNCTION ledger_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{_REFUSED}'; END $$"
        )
        op.execute(
            "CREATE TRIGGER ledger_only_grows BEFORE UPDATE OR DELETE ON ledger "
            "FOR EACH ROW EXECUTE FUNCTION ledger_only_grows()"
        )


def downgrade() -> None:
    op.drop_table("ledger")
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION ledger_only_grows()")
    op.drop_column("contest", "entries_root")
    op.drop_column("contest", "signing_key")
