"""Lines of JSON, and the names of fields that all formats share."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput

from .looking import NOW, contents, left_out, statements


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.jsonl"


def write(file: Path, *records: Any) -> Path:
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_a_record_keeps_text_time_speaker_session_kind_and_tags(file: Path) -> None:
    record = {
        "id": 7,
        "text": "I prefer window seats",
        "created_at": "2025-03-01T10:00:00+01:00",
        "author": "Ana",
        "role": "user",
        "thread_id": "trip-1",
        "kind": "Preference",
        "tags": ["travel", "seats"],
        "mood": "calm",
    }

    (found,) = statements("jsonl", write(file, record))

    source = found["source"]
    assert found["content"] == "I prefer window seats"
    assert found["when"] == datetime(2025, 3, 1, 9, tzinfo=UTC)
    assert (source.speaker, source.role, source.session, source.message) == ("Ana", "user", "trip-1", "7")
    assert (source.name, source.trust) == ("import:notes.jsonl", "user")
    assert (found["kind"], found["tags"]) == ("preference", ("travel", "seats"))
    assert found["metadata"] == {"mood": "calm"}


def test_a_line_may_be_a_mere_text_and_empty_lines_do_not_count(file: Path) -> None:
    file.write_text('"Ana drinks tea"\n\n{"memory": "Bob lives in Porto"}\n')

    assert contents("jsonl", file) == ["Ana drinks tea", "Bob lives in Porto"]


def test_a_file_that_is_one_list_is_read_too(file: Path) -> None:
    file.write_text('[{"content": "Ana drinks tea"},\n "Bob lives in Porto"]\n')

    assert contents("jsonl", file) == ["Ana drinks tea", "Bob lives in Porto"]


def test_what_begins_like_a_list_and_is_none_is_refused(file: Path) -> None:
    file.write_text('[{"content": "Ana drinks tea"},\n')

    with pytest.raises(InvalidInput, match="but is none"):
        contents("jsonl", file)


def test_a_folder_is_no_file_of_lines(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        contents("jsonl", tmp_path)


def test_the_names_of_fields_can_be_given(file: Path) -> None:
    write(file, {"Body Text": "Ana drinks tea", "said by": "Ana", "text": "unrelated"})

    (found,) = statements("jsonl", file, map={"content": "body text", "speaker": "Said By"})

    assert (found["content"], found["source"].speaker) == ("Ana drinks tea", "Ana")
    assert found["metadata"] == {"text": "unrelated"}


def test_a_name_of_a_field_that_is_not_ours_is_refused(file: Path) -> None:
    with pytest.raises(InvalidInput, match="no field 'colour'"):
        statements("jsonl", write(file, "x"), map={"colour": "color"})


def test_an_object_where_a_name_should_be_is_metadata_and_no_field_is_lost(file: Path) -> None:
    write(file, {"text": "tea", "Text": "coffee", "user": {"id": 7}, "author": "Ana", "ROLE": "User"})

    (found,) = statements("jsonl", file)

    assert (found["content"], found["source"].speaker, found["source"].trust) == ("tea", "Ana", "user")
    assert found["metadata"] == {"Text": "coffee", "user": {"id": 7}}


def test_parts_of_a_chat_message_are_one_text(file: Path) -> None:
    write(file, {"role": "user", "content": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]})

    (found,) = statements("jsonl", file)

    assert (found["content"], found["source"].speaker) == ("Hello\nthere", "user")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "is not JSON"),
        ('{"a":' * 100_000, "is not JSON"),
        ("7", "is neither a JSON object nor a text"),
        ('{"mood": "calm"}', "has no text"),
        ('{"text": "   "}', "has no text"),
        ('{"text": {"a": 1}}', "has no text"),
        ('{"text": "tea", "when": "teatime"}', "when: 'teatime' is no time"),
        ('{"text": "tea", "when": true}', "when: 'True' is no time"),
        ('{"text": "tea", "tags": ["%s"]}' % ("x" * 300), "tags: has 300 characters; at most 256 are accepted"),
        ('{"text": "a\\u0000b"}', "content: contains a NUL character"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_others_come_in(file: Path, line: str, reason: str) -> None:
    file.write_text(f'"first"\n{line}\n"last"\n')

    found = left_out("jsonl", file)

    assert found == [("line 2", reason, True)]


def test_nan_as_python_writes_it_is_a_value_that_is_missing(file: Path) -> None:
    file.write_text('{"text": "tea", "cups": NaN, "when": NaN}\n')

    (found,) = statements("jsonl", file)

    assert (found["metadata"], found["when"]) == ({}, None)


def test_a_line_that_is_not_utf_8_is_bad(file: Path) -> None:
    file.write_bytes(b'"first"\n"Ren\xe9"\n')

    assert left_out("jsonl", file) == [("line 2", "is not JSON", True)]


def test_a_mark_of_the_byte_order_is_no_part_of_the_text(file: Path) -> None:
    file.write_bytes(b'\xef\xbb\xbf"Ana drinks tea"\n')

    assert contents("jsonl", file) == ["Ana drinks tea"]


def test_our_own_export_is_sent_to_where_nothing_of_it_is_lost(file: Path) -> None:
    write(file, {"type": "header", "format": "truekeep", "version": 1, "space": "bot"})

    with pytest.raises(InvalidInput, match="without --from"):
        contents("jsonl", file)


def test_what_has_expired_is_left_out_and_what_will_expire_has_a_lifetime(file: Path) -> None:
    write(file, {"text": "old", "expires": "2025-12-31"}, {"text": "new", "expires": "2026-01-01"})

    assert left_out("jsonl", file) == [("line 1", "has expired", False)]
    file.write_text(file.read_text().split("\n")[1])
    assert statements("jsonl", file)[0]["ttl"] == timedelta(days=1)


@pytest.mark.parametrize(
    "time",
    ["2025-03-01T09:00:00Z", "2025-03-01 09:00:00", "1740819600", 1740819600, 1740819600000, "1740819600000000"],
)
def test_times_may_be_iso_or_counted_since_1970(file: Path, time: Any) -> None:
    (found,) = statements("jsonl", write(file, {"text": "tea", "timestamp": time}))

    assert found["when"] == datetime(2025, 3, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("time", ["1e400", str(10**400), '"9999-12-31T23:59:59-23:00"', "1e19"])
def test_a_time_beyond_the_calendar_is_no_time(file: Path, time: str) -> None:
    file.write_text(f'{{"text": "tea", "when": {time}}}\n')

    ((_, reason, is_bad),) = left_out("jsonl", file)

    assert "is no time" in reason
    assert is_bad


def test_the_same_record_has_the_same_key_in_every_run_and_a_changed_one_another(file: Path) -> None:
    def keys(*records: Any) -> list[str]:
        return [one["idempotency_key"] for one in statements("jsonl", write(file, *records), now=NOW)]

    before = keys({"id": 1, "text": "tea"}, {"text": "coffee"})

    assert keys({"text": "water"}, {"id": 1, "text": "tea"}, {"text": "coffee"})[1:] == before
    assert keys({"id": 1, "text": "green tea"})[0] not in before


def test_equal_records_of_a_conversation_stay_apart(file: Path) -> None:
    thanks = {"text": "Thanks!", "kind": "interaction", "speaker": "Ana"}

    first, second = statements("jsonl", write(file, thanks, thanks))

    assert first["idempotency_key"] != second["idempotency_key"]
