"""The contract of a memory: what users may rely on, whatever is behind the handle.

    class TestMyBackend(MemoryContract):
        @pytest.fixture
        def open_memory(self, tmp_path: Path) -> Iterator[OpenMemory]:
            ...  # yields a callable; see `OpenMemory`

Needs pytest and hypothesis. A backend whose store cannot be opened twice takes `SingleHandleContract`.
"""

from __future__ import annotations

from .beliefs import Beliefs
from .claims import Claims
from .contexts import Contexts
from .extracting import Extracting
from .following import Following, FollowingSeveral
from .forgetting import Forgetting
from .hygiene import Hygiene
from .keeping import Keeping
from .listing import Listing
from .opening import OpenMemory
from .recalling import Recalling
from .remembering import Remembering
from .sharing import Alone, Together
from .undoing import Forking, Undoing

__all__ = ["MemoryContract", "OpenMemory", "SingleHandleContract"]


class SingleHandleContract(
    Remembering,
    Claims,
    Beliefs,
    Recalling,
    Contexts,
    Forgetting,
    Keeping,
    Listing,
    Extracting,
    Hygiene,
    Alone,
    Undoing,
    Following,
):
    """All that one handle on a store can show."""


class MemoryContract(SingleHandleContract, Together, Forking, FollowingSeveral):
    """Everything."""
