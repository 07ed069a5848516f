"""What an operator asks a server."""

from __future__ import annotations

from contextlib import closing

import pytest

from truekeep import StoreError
from truekeep.remote.operator import Operator

from .scripted import answer, scripted


@pytest.mark.parametrize("wrong", [{"other": 1}, {"tenants": [{}], "spaces": [{}], "cursor": None}, [1]])
@pytest.mark.parametrize("listed", ["tenants", "spaces"])
def test_a_list_that_is_not_understood_is_a_store_error(listed: str, wrong: object) -> None:
    with (
        scripted(answer(200, wrong)) as server,
        closing(Operator(at=server.url, key=None)) as operator,
        pytest.raises(StoreError, match="not understood"),
    ):
        list(getattr(operator, listed)())


def test_lists_are_followed_to_their_last_page() -> None:
    space = {"name": "a", "items": 1, "values": 0, "bytes": 10}
    pages = [
        answer(200, {"spaces": [space], "cursor": "a"}),
        answer(200, {"spaces": [{**space, "name": "b"}], "cursor": None}),
    ]

    with scripted(*pages) as server, closing(Operator(at=server.url, key=None)) as operator:
        assert [one.name for one in operator.spaces()] == ["a", "b"]

        assert [asked.path.partition("?")[2] for asked in server.asked] == ["limit=1000&cursor=", "limit=1000&cursor=a"]
