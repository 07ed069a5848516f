"""Why the model could not do it. Never leaves the extractor: the rules take over, and the report says why."""

from __future__ import annotations


class Failing(Exception):
    """The reason, in words that quote neither the key nor the conversation nor the answer.

    Args:
        passing: another try may help.
        wait: seconds that the endpoint asks for before it.
        tires: the endpoint is out of order, and better left alone for a while.
        may_cost: the provider may charge for it all the same.
    """

    def __init__(
        self, reason: str, *, passing: bool = False, wait: float = 0.0, tires: bool = False, may_cost: bool = False
    ) -> None:
        super().__init__(reason)
        self.passing = passing
        self.wait = wait
        self.tires = tires
        self.may_cost = may_cost
