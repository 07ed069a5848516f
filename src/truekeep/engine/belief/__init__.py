"""The judge of beliefs: what a new statement does to an older one. Pure, and without a language model.

`judge` decides about a pair, `settle` between the verdicts on several old statements, `lead_of` tells how much nearer
one of them is than the others, and `period` reads for how long a statement says that it holds.
"""

from .judging import judge, settle
from .period import period
from .said import Period, Rule, Said, Verdict
from .signs import lead_of

__all__ = ["Period", "Rule", "Said", "Verdict", "judge", "lead_of", "period", "settle"]
