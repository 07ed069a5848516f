"""Memory for classic AutoGen: `autogen` 0.14, `ag2` before 1.0, `autogen-agentchat` 0.2. Needs one of them."""

from __future__ import annotations

from truekeep.adapters.common import FailOpen, Recalling, Scopes, Spaces
from truekeep.adapters.common.adapter import MissingFramework

try:
    from .agents import partner
    from .attaching import Teachability, attach, attach_group
    from .persistent_agent import PersistentAgent, StatefulAgent
    from .persistent_group import PersistentGroupChat
except ModuleNotFoundError as error:
    raise MissingFramework("classic-autogen", error) from error

__all__ = [
    "FailOpen",
    "PersistentAgent",
    "PersistentGroupChat",
    "Recalling",
    "Scopes",
    "Spaces",
    "StatefulAgent",
    "Teachability",
    "attach",
    "attach_group",
    "partner",
]
