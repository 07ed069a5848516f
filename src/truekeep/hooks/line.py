"""The line between a hook and the helper: loopback, one message each way, and each proves first who it is.
A hook says when the answer has arrived.

Whoever has another's port may be anybody: the helper answers only who knows its token, and a hook tells what somebody
typed only to who answers with the right word. Both stand in a file that only their owner can read.
"""

from __future__ import annotations

import os
from _socket import AF_INET, SHUT_WR, SOCK_STREAM
from _socket import socket as Socket  # what `socket` is made of, in a third of the time that it takes to import

from truekeep import __version__

from .notebook import FOLDER, folder, keep

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than a hook may
if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

_ADDRESS = "helper"  # the file: version, process, port, token, word, a line each
_MOST_WAITING = 64  # hooks
_PIECE = 1 << 16
_GREETS_WITHIN = 0.25  # seconds, for ours at once; a stranger on its port may keep silent
_LOOKS_FOR = 1.0  # seconds before another is started: ours may be busy
_DELIVERED = b"\x06"


class NoHelper(Exception):
    """Nobody of ours is there to be asked."""


def message(words: list[str], payload: bytes) -> bytes:
    """What a hook says: a few words about itself, and what its host told it."""
    return "\0".join(words).encode(errors="surrogateescape") + b"\n" + payload


def parted(said: bytes) -> tuple[list[str], bytes]:
    """The words and the payload of a message."""
    words, _, payload = said.partition(b"\n")
    return words.decode(errors="surrogateescape").split("\0"), payload


def ask(home: str, said: bytes, *, timeout: float, deliver: Callable[[bytes], None]) -> None:
    """Deliver the helper's answer, and tell the helper so. Raises NoHelper and OSError."""
    line = _greeted(home, _GREETS_WITHIN)
    try:
        line.settimeout(timeout)
        line.sendall(f"{len(said)}\n".encode() + said)
        deliver(_rest(line))
        line.sendall(_DELIVERED)
    finally:
        line.close()


def is_there(home: str) -> bool:
    """Whether one of ours listens at the address."""
    try:
        _greeted(home, _LOOKS_FOR).close()
    except NoHelper:
        return False
    return True


def listen(home: str) -> tuple[socket, str]:
    """A port of our own, and the address by which hooks find it."""
    from socket import create_server

    listener = create_server(("127.0.0.1", 0), backlog=_MOST_WAITING)
    token, word = os.urandom(24).hex(), os.urandom(24).hex()
    address = f"{__version__}\n{os.getpid()}\n{listener.getsockname()[1]}\n{token}\n{word}\n"
    keep(f"{folder(home)}/{_ADDRESS}", address.encode())
    return listener, address


def leave(home: str, address: str) -> None:
    """Take the address away, unless another helper has put its own there."""
    try:
        if tuple(address.split()[1:]) == _address(home):
            os.unlink(f"{home}/{FOLDER}/{_ADDRESS}")
    except (NoHelper, OSError):
        pass


def serve(line: socket, address: str, answer: Callable[[bytes], tuple[bytes, Callable[[], None]]]) -> None:
    """Answer one hook, if it is one of ours; then do what is to be done once the answer has arrived."""
    import hmac  # here and not above: it loads OpenSSL, which hooks do not need

    *_, token, word = address.split()
    with line:
        if not hmac.compare_digest(_line(line).encode(), token.encode()):
            return
        line.sendall(f"{word}\n".encode())
        said = _exactly(line, int(_line(line) or 0))
        if not said:  # it gave up, or looked only whether we are there
            return
        reply, when_delivered = answer(said)
        line.sendall(reply)
        line.shutdown(SHUT_WR)
        if line.recv(1) == _DELIVERED:
            when_delivered()


def running(home: str) -> int | None:
    """The process id of the helper that the address names; it may be gone."""
    try:
        return int(_address(home)[0])
    except NoHelper:
        return None


def _address(home: str) -> tuple[str, ...]:
    """Process, port, token, word. An older version is left to end by itself."""
    try:
        with open(f"{home}/{FOLDER}/{_ADDRESS}") as file:
            version, *address = file.read().split()
    except (OSError, ValueError) as error:
        raise NoHelper from error
    if version != __version__ or len(address) != 4:
        raise NoHelper
    return tuple(address)


def _greeted(home: str, timeout: float) -> Socket:
    """A line to one who knows the word."""
    _, port, token, word = _address(home)
    line = Socket(AF_INET, SOCK_STREAM)
    line.settimeout(timeout)
    try:
        line.connect(("127.0.0.1", int(port)))
        line.sendall(f"{token}\n".encode())
        if _line(line) == word:
            return line
    except OSError as error:
        line.close()
        raise NoHelper from error
    line.close()
    raise NoHelper


def _line(line: Socket) -> str:
    """Up to the end of a line, a byte at a time: what follows is not ours to read yet."""
    read = b""
    while len(read) < 100 and (byte := line.recv(1)) not in (b"", b"\n"):
        read += byte
    return read.decode(errors="replace")


def _exactly(line: Socket, size: int) -> bytes:
    """That many bytes, or none where fewer come."""
    parts = []
    while size and (part := line.recv(min(size, _PIECE))):
        parts.append(part)
        size -= len(part)
    return b"" if size else b"".join(parts)


def _rest(line: Socket) -> bytes:
    parts = []
    while part := line.recv(_PIECE):
        parts.append(part)
    return b"".join(parts)
