"""The helper: holds the engine and the model warm between prompts, and ends when nobody asks any more."""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from truekeep import surroundings

from . import line, notebook

if TYPE_CHECKING:
    from .moments import Answering

IDLE = 600.0  # seconds without a hook after which the helper ends
_PATIENCE = 30.0  # seconds that a hook may take to say what it wants


def main() -> None:
    """Listen, and answer until nobody has asked for a while. The argument is the mark of a helper on its way."""
    home = str(Path(sys.argv[1]).parent.parent)  # the mark lies in its folder of hooks
    surroundings.settle(home)
    try:
        listener, address = line.listen(home)
        from .moments import Answering  # it takes long, and the mark says meanwhile that nobody need start another

        answering = Answering(home)
    finally:
        Path(sys.argv[1]).unlink(missing_ok=True)
    threading.Thread(target=answering.catch_up).start()
    listener.settimeout(IDLE)
    with listener, suppress(TimeoutError):
        while True:
            hook, _ = listener.accept()
            hook.settimeout(_PATIENCE)
            threading.Thread(target=_serve, args=(hook, address, home, answering)).start()
    line.leave(home, address)
    answering.close()


def _serve(hook: socket.socket, address: str, home: str, answering: Answering) -> None:
    try:
        with suppress(OSError):  # one that gave up, or is none of ours
            line.serve(hook, address, answering.answer)
        answering.finish()
    except Exception as error:  # the thread of one hook; the next one shall find us well
        notebook.complain(home, "helper", type(error).__name__)


if __name__ == "__main__":
    main()
