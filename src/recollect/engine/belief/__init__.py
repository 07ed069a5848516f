"""The judge of beliefs: what a new statement does to an older one. Pure, and without a language model.

`judge` decides about a pair, `settle` between the verdicts on several old statements, `period` reads for how long a
statement says that it holds, and `may_change` tells cheaply whether it is worth asking.
"""

from .judging import judge, may_change, settle
from .period import period
from .said import Period, Rule, Said, Verdict

__all__ = ["Period", "Rule", "Said", "Verdict", "judge", "may_change", "period", "settle"]
