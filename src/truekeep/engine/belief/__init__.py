"""The judge of beliefs: what a new statement does to an older one. Pure, and without a language model.

`verdicts` decides about a statement and each of those near it, `settle` between the verdicts on several old ones,
`lead_of` tells how much nearer one of them is than the others, `signs_of` what all this is learned from, and
`holds_until` reads for how long a statement says that it holds.
"""

from .period import holds_until
from .said import Pair, Rule, Said, Verdict
from .signs import lead_of
from .verdict import settle, signs_of, verdicts

__all__ = ["Pair", "Rule", "Said", "Verdict", "holds_until", "lead_of", "settle", "signs_of", "verdicts"]
