"""The ledger: every decision about what a store keeps, made once, over a driver that knows the tables.

`driver.py` and `rows.py` are the port of a driver and its contract; every other module is a chapter of `ports.Store`.
"""

from .applying import Applying
from .cells import Space
from .checkpoints import Checkpoints
from .driver import Driver
from .items import Items
from .jobs import Jobs
from .keys import Audits, Keys
from .moves import Moving
from .persons import Persons
from .rows import Rows
from .upkeep import Upkeep
from .values import Values

__all__ = ["Driver", "Ledger", "Rows", "Space"]


class Ledger(Upkeep, Items, Applying, Values, Jobs, Keys, Persons, Audits, Checkpoints, Moving):
    """All chapters of it, over one driver. What a store adds: its size, backup, check and wipe."""

    @property
    def location(self) -> str:
        return self._driver.location

    def close(self) -> None:
        self._driver.close()
