"""Several computers play one contest: workers on other computers, reached through a scheduler of dask.

    session    on the organizer's computer: proves workers, gives them work, checks and replaces them
    tasks      what workers do
    daemons    the scheduler and the workers as processes that run for days
    keys       the certificates without which nobody takes part
    options    how dask is set up

Only this package imports dask, and only contests that name a scheduler import this package.
"""

import os

from contest.errors import ToolMissing

os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "warning")  # also in the processes that dask starts

try:
    import distributed  # noqa: F401 - an optional part
except ImportError as error:
    raise ToolMissing(
        f"several computers need the Python package {error.name}, which is not installed: "
        "`make setup-cluster`, or install `knobeln[cluster]`"
    ) from None
