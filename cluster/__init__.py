"""Several hosts play one contest day: workers on other hosts, reached through a scheduler of dask.

    session    on the organizer's host: shares the work out, checks some of it, and replaces what is
    lost work       what workers do

Nothing imports this package. A contest that names a scheduler loads it as a plug-in, by the
entry-point group `knobeln.workers`. Scheduler and workers are dask's own commands; docs/scaling.md
shows how they are set up.
"""

from contest.errors import ToolMissing

try:
    import distributed  # noqa: F401 - an optional part
except ImportError as error:
    raise ToolMissing(
        f"several hosts need the Python package {error.name}, which is not installed: `make"
        " setup-cluster`, or install `knobeln[cluster]`"
    ) from None
