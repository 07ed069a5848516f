"""The judge of beliefs: what a new statement does to an older one. Pure, and without a language model.

`verdicts` decides about a statement and each of those near it, `settle` between the verdicts on several old ones,
`lead_of` tells how much nearer one of them is than the others, `signs_of` what all this is learned from, and `period`
reads for how long a statement says that it holds.
"""

from .judging import settle, signs_of, verdicts
from .period import period
from .said import Pair, Period, Rule, Said, Verdict
from .signs import lead_of

__all__ = ["Pair", "Period", "Rule", "Said", "Verdict", "lead_of", "period", "settle", "signs_of", "verdicts"]
