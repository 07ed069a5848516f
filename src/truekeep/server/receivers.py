"""Where webhooks may be sent: what the operator listed, and no address of a private network that is not listed itself.

A tenant chooses the URL, and the server stands where a tenant does not: without this, it could be sent to ask what only
its own machine or network may reach.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

import httpx

from truekeep.errors import InvalidInput

_PORTS = {"https": 443, "http": 80}
_NAT64 = ip_network("64:ff9b::/96")
_Address = IPv4Address | IPv6Address
_Network = IPv4Network | IPv6Network


class Unreachable(Exception):
    """Why nothing can be sent to a receiver now; without addresses, which are the operator's business."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """A host that may be sent to; `*.` stands for all names below one, `*` for all names."""

    scheme: str
    host: str
    port: int

    def fits(self, scheme: str, host: str, port: int) -> bool:
        is_name = _literal(host) is None  # an address has to be listed as it is
        is_below = is_name and self.host.startswith("*") and host.endswith(self.host[1:])
        return (scheme, port) == (self.scheme, self.port) and (host == self.host or is_below)


class Receivers:
    """What the setting `webhooks` allows."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._hosts: list[_Listed] = []
        self._private: list[tuple[_Network, int | None]] = []  # with the port that it holds for
        for entry in listed:
            self._take(entry.strip().lower())
        self.there_are = bool(self._hosts)

    def _take(self, entry: str) -> None:
        """ValueError where it means nothing."""
        if "://" not in entry and "/" in entry:
            self._private.append((ip_network(entry), None))
            return
        parts = urlsplit(entry if "://" in entry else f"https://{entry}")
        host, is_whole = parts.hostname or "", not (parts.path or parts.query or parts.fragment or parts.username)
        if parts.scheme not in _PORTS or not host or not is_whole or "*" in host.removeprefix("*.").removeprefix("*"):
            raise ValueError(
                f"{entry!r} is no host: write example.org, *.example.org, http://10.0.0.7:8080, 10.0.0.0/8"
            )
        port = parts.port or _PORTS[parts.scheme]
        self._hosts.append(_Listed(parts.scheme, host, port))
        if (address := _literal(host)) is not None:
            self._private.append((ip_network(address), port))

    def admit(self, url: str) -> httpx.URL:
        """The URL, if the operator allows its host; else InvalidInput."""
        try:
            parsed = httpx.URL(url)
            host, port = parsed.raw_host.decode("ascii").lower(), parsed.port or _PORTS.get(parsed.scheme)
        except (httpx.InvalidURL, ValueError) as error:
            raise InvalidInput("url", "is no address") from error
        if port is None or not host:
            raise InvalidInput("url", "is no address")
        if not any(one.fits(parsed.scheme, host, port) for one in self._hosts):
            problem = "leads where this server sends nothing; its operator lists hosts in the setting 'webhooks'"
            raise InvalidInput("url", problem)
        return parsed

    async def addresses(self, url: httpx.URL) -> list[str]:
        """Those of the host, looked up now. Connect to one of these: another look may find another one."""
        host, port = url.raw_host.decode("ascii"), url.port or _PORTS[url.scheme]
        found = await _looked_up(host, port)
        if not found:
            raise Unreachable("the name of its host is not known")
        if not all(self._may_be_reached(ip_address(one), port) for one in found):
            raise Unreachable("its host has an address that the setting 'webhooks' does not allow")
        return found

    def _may_be_reached(self, address: _Address, port: int) -> bool:
        listed = any(address in network and at in (None, port) for network, at in self._private)
        return listed or all(_is_public(one) for one in _meanings(address))


def _literal(host: str) -> _Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _meanings(address: _Address) -> list[_Address]:
    """The address, and the one of IPv4 that lies in it."""
    if isinstance(address, IPv4Address):
        return [address]
    inner = address.ipv4_mapped or address.sixtofour
    if address in _NAT64:
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    return [address] if inner is None else [address, inner]


def _is_public(address: _Address) -> bool:
    return address.is_global and not (address.is_multicast or address.is_reserved)


async def _looked_up(host: str, port: int) -> list[str]:
    """In a thread of its own: a name that nobody answers for holds up no one else, nor the end of the process."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[list[str]] = loop.create_future()

    def tell(found: list[str]) -> None:
        if not answer.done():  # it was given up
            answer.set_result(found)

    def look() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            infos = []
        found = list(dict.fromkeys(str(info[4][0]) for info in infos))
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, found)

    threading.Thread(target=look, name="truekeep-look-up", daemon=True).start()
    return await answer
