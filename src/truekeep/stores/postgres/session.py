"""Sessions: one transaction on a connection, and whose rows it may see.

Nothing outlives the transaction: role, tenant and search path are set within it, and no statement is prepared by
name. So any pooler that hands out connections by the transaction may stand in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from typing import Any, Literal, NamedTuple, TypeAlias

import psycopg
from psycopg.rows import TupleRow

from truekeep.stores.ledger.cells import Cells

Connection: TypeAlias = "psycopg.Connection[TupleRow]"
Values: TypeAlias = "Sequence[Any] | Mapping[str, Any]"
Mode = Literal["single", "together", "write"]

BEGIN = {
    "single": "",  # statements that are sent together are one transaction
    "together": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;",
    "write": "BEGIN ISOLATION LEVEL READ COMMITTED;",
}
WHO = """set_config('search_path', %s, true), set_config('truekeep.tenant', %s, true), set_config('role', %s, true)"""
# A commit shall be durable even where somebody chose otherwise for the server; who freezes lets go of its locks; the
# number of the transaction tells, should the connection break, whether it was committed.
WRITE = """set_config('lock_timeout', %s, true), set_config('idle_in_transaction_session_timeout', %s, true),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END,
    pg_current_xact_id()::text"""
VERSION = "SELECT version FROM meta"  # each time: a newer program may have migrated the store meanwhile


NOTHING = token_hex(16)  # a text that is nowhere


class Who(NamedTuple):
    """Whose rows: those of a tenant, or for None of all; in which schema; how long to wait for others; the secret of
    the store; and what sees, before anything is written, that a store of this version is still for us."""

    tenant: str | None
    role: str
    schema: str
    patience: float
    secret: bytes
    admit: Callable[[int], None]


class Session:
    """One transaction, begun by its first statement. A "single" one is as many transactions as statements.

    A way to the server and back often takes longer than a statement. So writes that nobody waits for are sent along
    with the next question, or with the commit.
    """

    def __init__(self, connection: Connection, who: Who, mode: Mode) -> None:
        self.connection = connection
        self.changes = 0  # statements that wrote
        self.secret = who.secret
        self.xid: str | None = None
        self.is_committing = False
        self._who = who
        self._mode = mode
        self._begun = False
        self._later: list[tuple[str, Values]] = []

    def query(self, statement: str, values: Values = ()) -> list[Cells]:
        """All rows of a SELECT."""
        return self._run(statement, _sought(values)).fetchall()

    def queries(self, asked: Mapping[str, tuple[str, Values] | None]) -> dict[str, list[Cells]]:
        """All rows of each that is asked, with one way to the server and back; none of what is None.

        Not for the first statements of a transaction.
        """
        cursors = {}
        with self.connection.pipeline():
            self._send_later()
            for name, question in asked.items():
                if question is not None:
                    cursors[name] = self.connection.execute(question[0], _sought(question[1]))
        return {name: cursors[name].fetchall() if name in cursors else [] for name in asked}

    def change(self, statement: str, values: Values = ()) -> int:
        """Write; how many rows that touched."""
        self.changes += 1
        return self._run(statement, values).rowcount

    def change_returning(self, statement: str, values: Values = ()) -> list[Cells]:
        """Write; what the statement returns."""
        self.changes += 1
        return self._run(statement, values).fetchall()

    def change_later(self, statement: str, values: Values) -> None:
        """Write by the time that anything is read, or committed; at once as the first statement of a transaction."""
        self.changes += 1
        if self._begun:
            self._later.append((statement, values))
        else:
            self._run(statement, values)

    def flush(self) -> None:
        """Make the writes that were left for later."""
        if self._later:
            with self.connection.pipeline():
                self._send_later()

    def commit(self) -> None:
        """End it. A single one has ended already."""
        if self._begun:
            self.is_committing = self.changes > 0
            if self._later:
                with self.connection.pipeline():
                    self._send_later()
                    self.connection.execute("COMMIT")
            else:
                self.connection.execute("COMMIT")
            self._begun = False

    def roll_back(self) -> None:
        """Undo what was not committed, if there is anything; a broken connection has done so itself."""
        self._later.clear()
        if self._begun and not self.connection.closed:
            with suppress(psycopg.Error):  # it may have broken just now
                self.connection.execute("ROLLBACK")
        self._begun = False

    def savepoint(self) -> None:
        self.connection.execute("SAVEPOINT ticket")

    def undo(self) -> None:
        """All since the savepoint, before which everything was flushed."""
        self._later.clear()
        self.connection.execute("ROLLBACK TO ticket")

    @property
    def is_writing(self) -> bool:
        return self._mode == "write"

    @property
    def is_sound(self) -> bool:
        """Whether the transaction goes on: an error of the server ends it."""
        return self.connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS

    def _run(self, statement: str, values: Values) -> psycopg.Cursor[TupleRow]:
        if not self._begun:
            return self._begin(statement, values)
        cursor = self.connection.cursor(binary=True)
        if not self._later:
            return cursor.execute(statement, values)
        with self.connection.pipeline():
            self._send_later()
            cursor.execute(statement, values)
        return cursor

    def _send_later(self) -> None:
        for statement, values in self._later:
            self.connection.execute(statement, values)
        self._later.clear()

    def _begin(self, statement: str, values: Values) -> psycopg.Cursor[TupleRow]:
        """Tell who we are and ask the first question in one message to the server."""
        who = self._who
        given = [f'"{who.schema}", pg_temp', who.tenant or "", who.role]
        preamble = f"{BEGIN[self._mode]} SELECT {WHO}"
        if self._mode == "write":
            preamble += f", {WRITE}; {VERSION}"
            given += [f"{int(who.patience * 1000)}ms", f"{int(who.patience * 500)}ms"]
        self._begun = self._mode != "single"
        # Several statements in one message need their values written into them, which the driver does.
        cursor = psycopg.ClientCursor(self.connection)
        cursor.execute(f"{preamble}; {statement}", [*given, *values])
        if self._mode == "write":
            cursor.nextset()
            self.xid = cursor.fetchall()[0][-1]
            cursor.nextset()
            who.admit(cursor.fetchall()[0][0])
        while cursor.nextset():
            pass
        return cursor


def _sought(values: Values) -> Values:
    """The server knows no text with a NUL in it, and does not even accept the question."""
    if isinstance(values, Mapping):
        return {name: _findable(value) for name, value in values.items()}
    return [_findable(value) for value in values]


def _findable(value: Any) -> Any:
    if isinstance(value, str):
        return NOTHING if "\0" in value else value
    return [_findable(one) for one in value] if isinstance(value, list) else value
