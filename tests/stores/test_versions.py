"""One number says which schema a store has, and which programs may write into it."""

from __future__ import annotations

import pytest

from truekeep.errors import ConfigurationError
from truekeep.stores.versions import Version, refuse_newer


def test_a_migration_shuts_out_the_programs_from_before_it_unless_it_stands_beside_what_they_know() -> None:
    assert [Version.after(schema, {4, 5}) for schema in (3, 4, 5, 6)] == [(3, 3), (4, 3), (5, 3), (6, 6)]


@pytest.mark.parametrize("version", [Version(1, 1), Version(7, 7), Version(9, 7), Version(300, 299)])
def test_the_number_says_both_and_is_the_schema_where_they_are_the_same(version: Version) -> None:
    assert Version.read(version.number) == version
    assert (version.number == version.schema) == (version.oldest == version.schema)


def test_who_is_too_old_is_told_what_it_takes() -> None:
    refuse_newer(Version(9, 7).number, 7, "store.db")

    with pytest.raises(ConfigurationError, match="schema 9, for programs that know 7 or later; this one knows 6"):
        refuse_newer(Version(9, 7).number, 6, "store.db")
