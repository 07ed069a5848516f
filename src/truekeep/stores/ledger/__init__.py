"""The ledger: every decision about what a store keeps, made once, over a driver that knows the tables.

`driver.py` and `rows.py` are the port of a driver and its contract; every other module is a chapter of `ports.Store`.
"""

from .chapter import Chapter
from .driver import Driver
from .rows import Rows
from .space import Space

__all__ = ["Chapter", "Driver", "Rows", "Space"]
