"""compile reports as one of three records, told apart by `kind`

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BUILDS = sa.table("builds", sa.column("id", sa.Integer()), sa.column("report", sa.JSON()))
_SHARED = ("findings", "tool", "messages", "description_lines", "source_digest", "image_digest", "trial")
_MACHINE = ("elements", "element_limit", "static_bytes", "memory_limit", "code_bytes")


def upgrade() -> None:
    connection = op.get_bind()
    changed = [{"of": id, "new": by_kind(report)} for id, report in connection.execute(sa.select(_BUILDS))]
    if changed:
        update = sa.update(_BUILDS).where(_BUILDS.c.id == sa.bindparam("of"))
        connection.execute(update.values(report=sa.bindparam("new")), changed)


def by_kind(old: dict[str, Any]) -> dict[str, Any]:
    """The report as revision 0006 has it: without the facts of other kinds of play, and `said` renamed.

    Reports of the first releases lack the later facts.
    """
    shared = {name: old.get(name) for name in _SHARED}
    shared |= {"language": old.get("language", "C"), "stderr_tail": old.get("said", "")}
    if old["element_limit"] is not None:
        return {"kind": "machine", **shared, **{name: old[name] for name in _MACHINE}}
    files = old.get("files", [])
    if old.get("goal") is None:
        return {"kind": "text", **shared, "files": files, "image": old.get("image")}
    return {
        "kind": "table",
        **shared,
        "files": files,
        "source_bytes": old["source_bytes"],
        "goal": old["goal"],
        "player_name": old["player_name"],
        "trial_rates": old["trial_rates"],
    }
