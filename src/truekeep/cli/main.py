"""Where the program `truekeep` begins."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than a hook may
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line on the arguments of this process, and end it."""
    if sys.argv[1:3] == ["hooks", "run"]:
        from truekeep.hooks import front  # past all other commands: a coding agent waits for this one

        front.main(sys.argv[3:])
    import io
    from importlib.util import find_spec

    from truekeep.extras import to_install

    if any(find_spec(name) is None for name in ("rich", "typer")):
        sys.exit(f"the command line needs: {to_install('server')}")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # whatever the locale says: what goes through pipes is UTF-8
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        from .program import app

        app(prog_name="truekeep")
    except KeyboardInterrupt:  # before the program is put together, which then sees to it itself
        sys.exit(130)
    raise AssertionError("unreachable: the program ends the process with its own code")


if __name__ == "__main__":
    main()
