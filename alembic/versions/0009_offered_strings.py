"""a new authentification string is offered, and replaces the old one when it is used

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("teams", sa.Column("offered_digest", sa.String(length=64), nullable=True))
    op.create_index(op.f("ix_teams_offered_digest"), "teams", ["offered_digest"], unique=True)
