"""Where a server is and with which key it is asked."""

from __future__ import annotations

import pytest

from truekeep import Memory
from truekeep.errors import ConfigurationError, InvalidInput
from truekeep.remote.server import Address, address_of, addresses_of, segment


@pytest.mark.parametrize(
    ("at", "url", "key"),
    [
        ("http://127.0.0.1:8420", "http://127.0.0.1:8420", None),
        ("https://memory.example.org/", "https://memory.example.org", None),
        ("https://example.org/memory/", "https://example.org/memory", None),
        ("http://[::1]:8420", "http://[::1]:8420", None),
        ("HTTP://Example.ORG", "http://example.org", None),
        ("http://agent:tk_1@example.org", "http://example.org", "tk_1"),
        ("http://tk_1@example.org:80/x", "http://example.org:80/x", "tk_1"),
        ("http://agent:a%40b@example.org", "http://example.org", "a@b"),
    ],
)
def test_an_address_is_taken_apart_into_place_and_key(at: str, url: str, key: str | None) -> None:
    assert address_of(at, None) == Address(url, key)


@pytest.mark.parametrize(
    "at",
    [
        "http://",
        "http://:80",
        "http://host:99999",
        "http://host:x",
        "http://[::1",
        "http://a b",
        "https://host?key=tk_secret",
        "https://host/#tk_secret",
        "https://agent:tk_secret@",
        "https://agent:tk_secret@host:x",
    ],
)
def test_an_address_that_is_none_is_refused_without_showing_it(at: str) -> None:
    with pytest.raises(ConfigurationError, match="at=") as caught:
        Memory("bot", at=at)

    assert "tk_secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["", " ", "tk_ü", "rk\n1", 5, b"tk_1"])
def test_a_key_that_is_none_is_refused_without_showing_it(key: object) -> None:
    with pytest.raises(ConfigurationError, match="key=") as caught:
        Memory("bot", at="http://127.0.0.1:1", key=key)  # type: ignore[arg-type]  # on purpose

    assert "ü" not in str(caught.value)


@pytest.mark.parametrize(
    ("at", "urls", "key"),
    [
        ("http://a:1,http://b:2", ["http://a:1", "http://b:2"], None),
        (" https://a/x,y , http://b ", ["https://a/x%2Cy", "http://b"], None),
        ("http://tk_1@a,http://b", ["http://a", "http://b"], "tk_1"),
        ("http://tk_1@a,http://u:tk_1@b", ["http://a", "http://b"], "tk_1"),
    ],
)
def test_servers_of_one_store_are_separated_by_commas_and_have_one_key(at: str, urls: list[str], key: str) -> None:
    assert addresses_of(at, None) == tuple(Address(url, key) for url in urls)


def test_servers_with_different_keys_are_not_of_one_store() -> None:
    with pytest.raises(ConfigurationError, match="different keys") as caught:
        Memory("bot", at="http://tk_secret@a,http://tk_other@b")

    assert "tk_" not in str(caught.value)


def test_a_key_is_given_once() -> None:
    with pytest.raises(ConfigurationError, match="twice"):
        Memory("bot", at="http://agent:tk_1@127.0.0.1:1", key="tk_2")


def test_a_key_is_shown_nowhere() -> None:
    with Memory("bot", at="http://127.0.0.1:1", key="tk_secret") as memory:
        shown = [repr(memory), repr(memory._engine), repr(address_of("http://host", "tk_secret"))]

    assert not any("tk_secret" in text for text in shown)


def test_a_space_has_a_name_here_too() -> None:
    with pytest.raises(InvalidInput, match="space"):
        Memory(" ", at="http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("bot", "bot"), ("a/b", "a%2Fb"), ("..", "%2E%2E"), (".", "%2E"), ("...", "..."), ("ü ?", "%C3%BC%20%3F")],
)
def test_a_name_is_one_segment_of_a_path(name: str, expected: str) -> None:
    assert segment(name) == expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [("http://127.0.0.9:1", True), ("http://[::1]", True), ("http://localhost", True), ("http://10.0.0.1", False)],
)
def test_proxies_are_for_other_machines(at: str, expected: bool) -> None:
    assert address_of(at, None).is_on_this_machine is expected
