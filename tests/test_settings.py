"""Settings from the environment."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from truekeep import settings
from truekeep.errors import ConfigurationError


def test_the_names_of_all_variables_are_known() -> None:
    page = Path("docs/reference/settings.md").read_text(encoding="utf-8").partition("## Of the server")[0]

    assert settings.names() == set(re.findall(r"^\| `(TRUEKEEP_\w+)`", page, re.MULTILINE))


def test_defaults_hold_where_nothing_is_set() -> None:
    read = settings.read({"HOME": "/home/ana", "XDG_DATA_HOME": "data"})

    assert (read.content_bytes, read.index_bytes, read.threads) == (64 * 1024, 512 * 1024 * 1024, 0)
    assert read.exit_limit == timedelta(seconds=5)
    assert read.home.name.lower() == "truekeep"


def test_the_environment_decides() -> None:
    read = settings.read(
        {
            "TRUEKEEP_HOME": "notes",
            "TRUEKEEP_CONTENT_BYTES": " 10 ",
            "TRUEKEEP_INDEX_BYTES": "20",
            "TRUEKEEP_THREADS": "3",
            "TRUEKEEP_EXIT_SECONDS": "0",
        }
    )

    assert read == settings.Settings(
        home=Path.cwd() / "notes", content_bytes=10, index_bytes=20, threads=3, exit_limit=timedelta(0)
    )


@pytest.mark.parametrize(
    "name", ["TRUEKEEP_CONTENT_BYTES", "TRUEKEEP_INDEX_BYTES", "TRUEKEEP_THREADS", "TRUEKEEP_EXIT_SECONDS"]
)
@pytest.mark.parametrize("text", ["-1", "1.5", "many", "0x10"])
def test_a_wrong_setting_is_named(name: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        settings.read({"TRUEKEEP_HOME": "x", name: text})


def test_secrets_are_replaced_unless_the_environment_says_otherwise() -> None:
    assert settings.read({"TRUEKEEP_HOME": "x"}).redact == "on"
    assert settings.read({"TRUEKEEP_HOME": "x", "TRUEKEEP_REDACT": "refuse"}).redact == "refuse"


def test_an_unknown_way_to_redact_is_named() -> None:
    with pytest.raises(ConfigurationError, match="TRUEKEEP_REDACT must be one of on, flag, refuse, off, not 'maybe'"):
        settings.read({"TRUEKEEP_HOME": "x", "TRUEKEEP_REDACT": "maybe"})
