"""the first schema

Revision ID: 0001
Revises: nothing
"""

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Never runs: store/tables.py makes new databases, which are at the newest revision at
    once."""
