"""A real PgBouncer in transaction mode between a store and its server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.postgres_server import another_user

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
PORT = "6432"
BEGINNING = 10.0  # seconds
SETTINGS = """[databases]
{database} = host={host} port={port} dbname={database}
[pgbouncer]
pool_mode = transaction
default_pool_size = 4
unix_socket_dir = {folder}
listen_port = {own_port}
auth_type = trust
auth_file = {folder}/users
logfile = {folder}/log
"""


@contextmanager
def pooling(url: str) -> Iterator[str]:
    """The address of the same database, behind a pooler that hands out four connections by the transaction."""
    assert PROGRAM is not None
    given = conninfo_to_dict(url)
    folder, user = Path(tempfile.mkdtemp(prefix="pgb")), another_user()
    (folder / "users").write_text(f'"{given["user"]}" "{given["password"]}"\n')
    (folder / "settings").write_text(
        SETTINGS.format(database=given["dbname"], host=given["host"], port=given["port"], folder=folder, own_port=PORT)
    )
    if user:
        for path in (folder, *folder.iterdir()):
            os.chown(path, user["user"], user["group"])
    process = subprocess.Popen(
        [PROGRAM, str(folder / "settings")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user
    )
    pooled = f"postgresql://{given['user']}:{given['password']}@/{given['dbname']}?host={folder}&port={PORT}"
    try:
        _await(pooled, process, folder)
        yield pooled
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _await(url: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + BEGINNING
    while True:
        try:
            psycopg.connect(url, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError((folder / "log").read_text()) from None
            time.sleep(0.02)
