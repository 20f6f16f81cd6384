"""the files of a program may be in folders, so their names are paths

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("submissions", "program"),
    ("sent_files", "name"),
    ("practices", "program"),
    ("practice_files", "name"),
)


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":  # which holds no text to its length
        return
    for table, column in _COLUMNS:
        op.alter_column(table, column, type_=sa.String(160), existing_type=sa.String(64))
