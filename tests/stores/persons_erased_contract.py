"""The contract of a person who is erased: inherit `ErasedPersonContract` and supply an empty `store`."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from truekeep import wire
from truekeep.engine import admit, mentions
from truekeep.engine.verbs.erasure import Erasures, person
from truekeep.errors import InvalidInput, NotFound
from truekeep.model import Person, Source, SpaceId, Traces, Value
from truekeep.ports import Put, Store
from truekeep.testing.fakes import FixedClock
from truekeep.testing.samples import NOW, SPACE, job, keep, put

TEAM = SpaceId(SPACE.tenant, "team")
OTHERS = SpaceId("acme", "bot")
LIMITS = admit.Limits()
ANA = Person(speakers=("ana",), values=("user:ana:*",), names=("ana",))


def said(id: str, speaker: str | None, content: str | None = None, **fields: Any) -> Put:
    session = fields.pop("session", None)
    return put(id, content, source=Source(speaker=speaker, session=session), **fields)


def messages(*speakers: str) -> dict[str, Any]:
    return {"session": "s", "messages": [{"content": f"I am {name}", "speaker": name} for name in speakers]}


def furnish(store: Store) -> None:
    """Ana in two spaces of a tenant, and another Ana in a space of another one."""
    for space in (SPACE, TEAM, OTHERS):
        his = (said("his", "ben", "I met ANA, yes"), said("none", "ben", "bananas"))
        keep(store, said("hers", "ana"), *his, space=space)
        for key in ("user:ana:tone", "user:ben:tone"):
            store.edit_value(space, key, lambda _: 1, now=NOW, ttl=None)
        store.add_job(job(f"both-{space.name}", space, payload=messages("ana", "ben")))
        store.add_job(job(f"hers-{space.name}", space, payload=messages("ana")))


def ids(store: Store, space: SpaceId) -> list[str]:
    return [row.id for row in store.changes(space, after=0).rows if row.item is not None]


class ErasedPersonContract:
    """Everything of a person goes, in all spaces of the tenant, and nothing else."""

    @pytest.fixture
    def erasures(self, store: Store) -> Erasures:
        return Erasures(store, SPACE.tenant, FixedClock(NOW))

    def test_a_preview_tells_what_is_where_and_changes_nothing(self, store: Store, erasures: Erasures) -> None:
        furnish(store)
        keep(store, said("another", "Ana", "tea"), space=TEAM)

        found = erasures.preview(ANA)

        told = {"items": 1, "values": 1, "jobs": 2, "mentions": 1}
        assert found.found == (Traces(space="bot", **told), Traces(space="team", **told))
        assert (found.items, found.values, found.jobs, found.mentions, found.spaces) == (2, 2, 4, 2, 2)
        assert (found.dry_run, found.alike, found.id, found.signature) == (True, ("Ana",), "", "")
        assert erasures.receipts() == []
        assert store.barred(SPACE.tenant, ["ana"]) == {}
        assert "hers" in ids(store, SPACE)

    def test_all_of_them_goes_and_nothing_of_anybody_else(self, store: Store, erasures: Erasures) -> None:
        furnish(store)

        receipt = erasures.erase(ANA)

        for space in (SPACE, TEAM):
            assert sorted(ids(store, space)) == ["his", "none"]
            assert store.keys(space, now=NOW) == ["user:ben:tone"]
            assert store.job(space, f"hers-{space.name}") is None
            rest = store.job(space, f"both-{space.name}")
            assert rest is not None
            assert rest.payload == messages("ben")
        assert sorted(ids(store, OTHERS)) == ["hers", "his", "none"]
        assert store.keys(OTHERS, now=NOW) == ["user:ana:tone", "user:ben:tone"]
        assert store.job(OTHERS, "hers-bot") is not None
        counted = (receipt.spaces, receipt.items, receipt.values, receipt.jobs, receipt.mentions, receipt.remaining)
        assert counted == (2, 2, 2, 4, 2, 0)
        assert (receipt.began, receipt.ended, receipt.dry_run) == (NOW, NOW, False)
        assert store.check() == []

    def test_what_others_said_of_them_waits_for_review_and_stays_as_it_is(
        self, store: Store, erasures: Erasures
    ) -> None:
        furnish(store)
        before = store.get(SPACE, ["his"])

        erasures.erase(ANA)
        erasures.erase(ANA)

        waiting = mentions.waiting(store, SPACE, limit=10, now=NOW)
        assert waiting == before == store.get(SPACE, ["his"])
        assert mentions.waiting(store, OTHERS, limit=10, now=NOW) == []

    def test_a_mention_stops_waiting_when_it_is_settled_or_gone(self, store: Store, erasures: Erasures) -> None:
        texts = ("Ana", "for ana.", "ana's", "of\nAna")
        keep(store, *(said(f"id{number}", "ben", text) for number, text in enumerate(texts)))
        erasures.erase(ANA)

        first = [item.id for item in mentions.waiting(store, SPACE, limit=2, now=NOW)]
        store.erase(SPACE, ["id3"], now=NOW)
        settled = [mentions.settle(store, SPACE, "id2", now=NOW) for _ in range(2)]

        assert first == ["id3", "id2"]
        assert settled == [True, False]
        assert [item.id for item in mentions.waiting(store, SPACE, limit=2, now=NOW)] == ["id1", "id0"]
        mentions.drop(store, SPACE, now=NOW)
        assert mentions.waiting(store, SPACE, limit=2, now=NOW) == []

    @pytest.mark.parametrize(
        ("name", "text", "is_found"),
        [
            ("will", "I will go", True),
            ("Will Turner", "I will turn", False),
            ("Will Turner", "ask will\n turner", True),
            ("may", "maybe", False),
            ("José", "JOSE\u0301 leads it", True),
            ("u-17", "u-171", False),
            ("u-17", "(u-17)", True),
            ("美咲", "昨日美咲さんに会った", True),
            ("a.b*", "a.bb", False),
        ],
    )
    def test_a_name_is_found_as_whole_words(
        self, store: Store, erasures: Erasures, name: str, text: str, is_found: bool
    ) -> None:
        keep(store, said("a", "ben", text))

        assert erasures.preview(Person(speakers=("nobody",), names=(name,))).mentions == is_found

    def test_a_name_is_found_beside_the_text_and_in_what_stood_there_before(
        self, store: Store, erasures: Erasures
    ) -> None:
        keep(
            store,
            put("tag", tags=("Ana",)),
            put("key", key="ana/tea"),
            put("metadata", metadata={"who": ["ana"]}),
            put("source", source=Source(name="notes of ana")),
            said("session", "ben", session="ana-1"),
            said("former", "ben", "Ana was here"),
            said("theirs", "ana", "a"),
            put("nothing"),
        )
        keep(store, said("former", "ben", "somebody was here", version=2, keep_previous=True))

        erasures.erase(ANA)

        waiting = {item.id for item in mentions.waiting(store, SPACE, limit=10, now=NOW)}
        assert waiting == {"tag", "key", "metadata", "source", "session", "former"}

    def test_no_names_put_nothing_up(self, store: Store, erasures: Erasures) -> None:
        furnish(store)

        assert erasures.erase(replace(ANA, names=())).mentions == 0

    def test_sessions_go_as_a_whole(self, store: Store, erasures: Erasures) -> None:
        keep(store, *(said(id, "ben", session=id) for id in ("ana-1", "ana-2", "ben-1")))
        store.add_job(job("waits", payload={**messages("ben"), "session": "ana-3"}))

        receipt = erasures.erase(replace(ANA, sessions=("ana-*",)))

        assert ids(store, SPACE) == ["ben-1"]
        assert (receipt.items, receipt.jobs, store.job(SPACE, "waits")) == (2, 1, None)

    def test_what_has_expired_retired_or_is_in_quarantine_goes_too(self, store: Store, erasures: Erasures) -> None:
        keep(
            store,
            said("over", "ana", expires=NOW - timedelta(days=1)),
            said("retired", "ana", retired=NOW, until=NOW),
            said("held", "ana", quarantined=True),
        )

        assert (erasures.erase(ANA).items, ids(store, SPACE)) == (3, [])

    def test_what_somebody_else_said_in_other_words_is_believed_again(self, store: Store, erasures: Erasures) -> None:
        ends: dict[str, Any] = {"superseded_by": "hers", "retired": NOW, "until": NOW, "restated": True}
        keep(store, said("hers", "ana"), said("his", "ben", **ends), said("hers too", "ana", **ends))

        erasures.erase(ANA)

        (his,) = store.get(SPACE, ["his", "hers too"])
        assert his.is_current

    def test_finished_jobs_lose_all_that_was_said_in_them(self, store: Store, erasures: Erasures) -> None:
        store.add_job(job("failed", payload=messages("ana", "ben"), state="failed"))

        assert erasures.erase(ANA).jobs == 1

        failed = store.job(SPACE, "failed")
        assert failed is not None
        assert failed.payload == {}

    def test_nothing_of_them_comes_back_into_any_space(self, store: Store, erasures: Erasures) -> None:
        furnish(store)
        old = said("old", "ana", "never seen before")
        erasures.erase(replace(ANA, values=("user:ana:*", "profile-[ab]*")))

        def value(key: str) -> Value:
            return Value(key=key, value=1, version=1, created=NOW, updated=NOW)

        assert store.restore(TEAM, [old], []).refused == ["old"]
        assert store.restore(SpaceId(SPACE.tenant, "new"), [old], []).refused == ["old"]
        assert store.restore_value(TEAM, value("user:ana:never seen before")) is None
        assert store.restore_value(TEAM, value("user:anabel:tone")) is True
        assert store.restore(OTHERS, [old], []).refused == []
        assert erasures.admit(["ana", "ben"]) == ["ana"]
        assert store.restore(TEAM, [old], []).refused == []

    def test_a_value_that_a_pattern_found_does_not_come_back(self, store: Store, erasures: Erasures) -> None:
        store.edit_value(SPACE, "a-profile-1", lambda _: 1, now=NOW, ttl=None)
        erasures.erase(replace(ANA, values=("?-profile-*",)))

        back = Value(key="a-profile-1", value=1, version=1, created=NOW, updated=NOW)

        assert store.restore_value(TEAM, back) is None
        assert store.restore_value(TEAM, replace(back, key="b-profile-1")) is True

    def test_whoever_was_interrupted_finishes_with_the_same_receipt(
        self, store: Store, erasures: Erasures, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        furnish(store)
        erase: Callable[..., Any] = store.erase

        def dies(space: SpaceId, *arguments: Any, **named: Any) -> Any:
            if space == TEAM:
                raise KeyboardInterrupt
            return erase(space, *arguments, **named)

        with monkeypatch.context() as patch:
            patch.setattr(type(store), "erase", lambda _, *arguments, **named: dies(*arguments, **named))
            with pytest.raises(KeyboardInterrupt):
                erasures.erase(ANA)
        (half,) = erasures.receipts()
        done = erasures.erase(ANA)

        assert (half.ended, half.items, half.jobs) == (None, 1, 2)
        assert (done.id, done.ended, done.items, done.spaces, done.mentions) == (half.id, NOW, 2, 2, 2)
        assert erasures.receipts() == [done]
        assert ids(store, TEAM) == ["his", "none"]

    def test_receipts_are_kept_signed_and_tell_no_name(self, store: Store, erasures: Erasures) -> None:
        furnish(store)
        first, second = erasures.erase(ANA), erasures.erase(Person(speakers=("ben",)))

        assert erasures.receipts() == [second, first]
        assert erasures.receipts(limit=1, cursor=second.id) == erasures.receipts(speaker="ana") == [first]
        assert erasures.receipt(first.id) == first
        record = wire.record(first)
        assert erasures.is_genuine(json.loads(json.dumps(record)))
        assert not erasures.is_genuine({**record, "items": 0})
        assert not erasures.is_genuine({**record, "signature": "\ud800"})
        assert not erasures.is_genuine({name: one for name, one in record.items() if name != "signature"})
        assert not Erasures(store, "acme", FixedClock(NOW)).is_genuine(record)
        assert "ana" not in json.dumps(record)
        assert store.marks(SPACE.tenant, ["ana"]) == list(first.persons)
        with pytest.raises(NotFound):
            Erasures(store, "acme", FixedClock(NOW)).receipt(first.id)

    def test_the_oldest_receipts_make_room(
        self, store: Store, erasures: Erasures, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("truekeep.engine.verbs.erasure.MOST_RECEIPTS", 2)

        made = [erasures.erase(ANA).id for _ in range(4)]

        assert [one.id for one in erasures.receipts()] == made[:1:-1]

    @pytest.mark.parametrize(
        "given",
        [
            {"speakers": []},
            {"speakers": "ana"},
            {"speakers": ["ana"] * 65},
            {"speakers": [""]},
            {"speakers": ["ana"], "values": ["**"]},
            {"speakers": ["ana"], "sessions": ["*"]},
        ],
    )
    def test_who_is_meant_must_be_clear(self, given: dict[str, Any]) -> None:
        with pytest.raises(InvalidInput):
            person(LIMITS, **given)

    def test_names_are_those_of_the_speakers_unless_others_are_given(self) -> None:
        assert person(LIMITS, speakers=["ana", "Ana", "ana"]).names == ("ana", "Ana")
        assert person(LIMITS, speakers=["ana"], names=[]).names == ()
