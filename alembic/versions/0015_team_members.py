"""the names of all members in a table of their own, so that a registration finds people who are in two teams

Indexes find the teams that count, and those that have not been heard from.

Revision ID: 0015
Revises: 0014
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_TEAMS = sa.table("teams", sa.column("id", sa.Integer()), sa.column("members", sa.JSON()))


def upgrade() -> None:
    members = op.create_table(
        "team_members",
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], name=op.f("fk_team_members_team_id")),
        sa.PrimaryKeyConstraint("team_id", "number", name=op.f("pk_team_members")),
    )
    op.create_index(op.f("ix_team_members_name_key"), "team_members", ["name_key"])
    op.create_index(op.f("ix_teams_state"), "teams", ["state"])
    op.create_index(op.f("ix_teams_proved"), "teams", ["proved"])
    connection = op.get_bind()
    rows = [
        {"team_id": team_id, "number": number, "name_key": " ".join(name.casefold().split())}
        for team_id, known in connection.execute(sa.select(_TEAMS)).all()
        for number, (name, *_) in enumerate(known, 1)
    ]
    if rows:
        connection.execute(sa.insert(members), rows)


def downgrade() -> None:
    op.drop_index(op.f("ix_teams_proved"), "teams")
    op.drop_index(op.f("ix_teams_state"), "teams")
    op.drop_table("team_members")
