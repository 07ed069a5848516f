"""Writes docs/reference/openapi.json, the document that the server shows at /openapi.json, for review.

python tests/docs/openapi_page.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from truekeep.server.app import create_app
from truekeep.server.settings import ServerSettings

PAGE = Path(__file__).parent.parent.parent / "docs" / "reference" / "openapi.json"


def document() -> dict[str, Any]:
    return create_app(ServerSettings()).openapi()


def page() -> str:
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
