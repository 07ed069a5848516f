"""Where webhooks may be sent: what is listed, and nothing private that is not listed itself."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from truekeep.errors import ConfigurationError, InvalidInput
from truekeep.server.receivers import Receivers, Unreachable
from truekeep.server.settings import load

LISTED = ["hooks.example.org", "*.example.net:8443", "http://10.0.0.7:8080", "https://[fd00::7]", "192.168.7.0/24"]


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org/a?b=c",
        "https://HOOKS.example.org:443",
        "https://a.b.example.net:8443/",
        "http://10.0.0.7:8080/hook",
        "https://[fd00::7]/",
    ],
)
def test_what_is_listed_is_let_pass(url: str) -> None:
    assert Receivers(LISTED).admit(url).host


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/",  # plain HTTP has to be listed as such
        "https://hooks.example.org:8443/",
        "https://hooks.example.org.evil.test/",
        "https://evilhooks.example.org/",
        "https://example.net:8443/",
        "https://a.example.net/",
        "http://10.0.0.7/",
        "http://10.0.0.8:8080/",
        "http://192.168.7.1/",  # a network says where names may lead
        "https://127.0.0.1/",
        "https://[::ffff:10.0.0.7]/",
        "file:///etc/passwd",
        "https://",
        "https://a\udc80/",
    ],
)
def test_what_is_not_listed_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="url"):
        Receivers(LISTED).admit(url)


def test_any_name_may_be_listed_but_not_any_address() -> None:
    receivers = Receivers(["*"])

    assert receivers.admit("https://anything.example.org/")
    with pytest.raises(InvalidInput, match="setting 'webhooks'"):
        receivers.admit("https://8.8.8.8/")


def addresses(listed: list[str], found: list[str], monkeypatch: pytest.MonkeyPatch, port: int = 443) -> list[str]:
    """Those that a name has, if all of them may be reached."""

    def look_up(host: str, port: int, **_: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    receivers = Receivers(["*", f"https://*:{port}", *listed])
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    try:
        return asyncio.run(receivers.addresses(receivers.admit(f"https://hooks.example.org:{port}")))
    finally:
        monkeypatch.undo()


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.7", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1"),
        *("64:ff9b::a00:7", "2002:7f00:1::", "::ffff:169.254.169.254"),
    ],
)
def test_a_name_that_leads_into_a_private_network_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for found in ([address], ["8.8.8.8", address]):
        with pytest.raises(Unreachable, match="does not allow"):
            addresses([], found, monkeypatch)


def test_a_private_address_may_be_listed_alone_and_by_its_network(monkeypatch: pytest.MonkeyPatch) -> None:
    assert addresses(["192.168.7.0/24"], ["192.168.7.9"], monkeypatch) == ["192.168.7.9"]
    assert addresses(["https://10.0.0.7"], ["10.0.0.7"], monkeypatch) == ["10.0.0.7"]
    with pytest.raises(Unreachable):
        addresses(["http://10.0.0.7:8080"], ["10.0.0.7"], monkeypatch)  # at that port alone
    with pytest.raises(Unreachable, match="not known"):
        addresses([], [], monkeypatch)


def test_public_addresses_are_let_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    found = ["8.8.8.8", "2001:4860:4860::8888"]

    assert addresses([], found, monkeypatch) == found


@pytest.mark.parametrize(
    "entry",
    ["", "https://", "ftp://example.org", "a.*.example.org", "example.org/hook", "10.0.0.1/8", "user@example.org"],
)
def test_a_wrong_entry_is_told_at_the_start(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="'webhooks' is wrong"):
        load(webhooks=[entry])
