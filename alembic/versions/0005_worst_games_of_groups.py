"""everybody's worst game in each group, of which the worst is that of the contest

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BEFORE = sa.table("worst_games", sa.column("entry_id"), sa.column("facts", sa.JSON))
_ENTRIES = sa.table("entries", sa.column("id"), sa.column("tournament"))
_GROUPS = sa.table("groups", *map(sa.column, ("id", "tournament", "round", "number")))


def upgrade() -> None:
    connection = op.get_bind()
    of_entry = _BEFORE.join(_ENTRIES, _ENTRIES.c.id == _BEFORE.c.entry_id)
    query = sa.select(_BEFORE, _ENTRIES.c.tournament).select_from(of_entry)
    games = connection.execute(query).all()
    groups = {
        (group.tournament, group.round, group.number): group.id
        for group in connection.execute(sa.select(_GROUPS))
    }
    op.drop_table("worst_games")
    table = op.create_table(
        "worst_games",
        sa.Column("group_id", sa.Integer, sa.ForeignKey("groups.id"), primary_key=True),
        sa.Column("entry_id", sa.Integer, sa.ForeignKey("entries.id"), primary_key=True),
        sa.Column("facts", sa.JSON, nullable=False),
    )
    rows = []
    for game in games:
        plan = game.facts["plan"]
        group = groups[game.tournament, plan["round"], plan["number"]]
        rows.append({"group_id": group, "entry_id": game.entry_id, "facts": game.facts})
    op.bulk_insert(table, rows)
