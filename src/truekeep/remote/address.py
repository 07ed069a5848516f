"""Where a server is and with which key it is asked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from urllib.parse import SplitResult, quote, unquote, urlsplit

from truekeep.errors import ConfigurationError
from truekeep.surroundings import servers

_EXAMPLE = "at= must look like 'https://memory.example.org' or 'http://127.0.0.1:8420'"


@dataclass(frozen=True, slots=True)
class Address:
    """A server; its key is shown nowhere."""

    url: str  # without credentials and without a slash at its end
    key: str | None = field(default=None, repr=False)

    @property
    def is_on_this_machine(self) -> bool:
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


def addresses_of(at: str, key: str | None) -> tuple[Address, ...]:
    """Servers of one store, separated by commas, in the order in which they are asked. One key opens them all."""
    found = [address_of(one, key) for one in servers(at)]
    keys = {address.key for address in found if address.key is not None}
    if len(keys) > 1:
        raise ConfigurationError("the addresses in at= hold different keys; servers of one store have one key")
    return tuple(replace(address, key=next(iter(keys), None)) for address in found)


def address_of(at: str, key: str | None) -> Address:
    """The address without its credentials; the key is the argument, or the password in the address.

    No message quotes what was given: it may hold a secret.
    """
    parts, port = _parts(at)
    host = parts.hostname or ""
    if not host or any(character.isspace() or not character.isprintable() for character in host):
        raise ConfigurationError(_EXAMPLE)
    if parts.query or parts.fragment:
        raise ConfigurationError("at= must not have a '?' or a '#'; give the key as key=")
    name = f"[{host}]" if ":" in host else host
    path = quote(parts.path.rstrip("/"), safe="/%~")
    return Address(f"{parts.scheme}://{name}{'' if port is None else f':{port}'}{path}", _key(parts, key))


def segment(name: str) -> str:
    """A name as one segment of a path. Dots too where they would mean this folder or the one above."""
    return name.replace(".", "%2E") if name in (".", "..") else quote(name, safe="")


def _parts(at: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(at)
        return parts, parts.port
    except ValueError:
        raise ConfigurationError(_EXAMPLE) from None


def _key(parts: SplitResult, key: str | None) -> str | None:
    inside = unquote(parts.password or parts.username or "") or None
    if key is not None and inside is not None:
        raise ConfigurationError("the key is given twice: as key= and in the address")
    given = inside if key is None else key
    if given is None:
        return None
    if not isinstance(given, str) or not given or not given.isascii() or not given.isprintable() or " " in given:
        raise ConfigurationError("key= must be an access key such as 'tk_...'; leave it out where none is needed")
    return given
