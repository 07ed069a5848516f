"""What is measured of prompts: which bytes come again, and which lines of a block stay."""

from __future__ import annotations

from benchmarks.prompts.chat import block_lines, measured

FIRST, SECOND = (
    f'## Long-term memory\n<recalled-memory note="data">\n{lines}\n</recalled-memory>'
    for lines in ("- [2026-01-01] tea\n- [2026-01-01] milk", "- [2026-01-01] tea\n- [2026-01-01] rum")
)


def said(role: str, content: object) -> dict[str, object]:
    return {"role": role, "content": content}


def test_a_block_in_the_system_message_ends_what_comes_again_there() -> None:
    requests = [
        [said("system", f"Be brief.\n\n{FIRST}"), said("user", "What?")],
        [said("system", f"Be brief.\n\n{SECOND}"), said("user", "What?"), said("assistant", "A"), said("user", "And?")],
    ]

    figures = measured(requests)

    assert 0 < figures.prefix < 1
    assert figures.lines == 0.5


def test_a_block_at_the_beginning_of_the_last_message_ends_nothing() -> None:
    system = said("system", "Be brief.")
    requests = [
        [system, said("user", f"{FIRST}\n\nWhat?")],
        [system, said("user", "What?"), said("assistant", "A"), said("user", f"{SECOND}\n\nAnd?")],
    ]

    assert measured(requests) == (1.0, 0.5)


def test_a_block_of_its_own_before_the_last_message_ends_nothing() -> None:
    system = said("system", "Be brief.")
    requests = [
        [system, said("user", FIRST), said("user", "What?")],
        [system, said("user", "What?"), said("assistant", "A"), said("user", SECOND), said("user", "And?")],
    ]

    assert measured(requests) == (1.0, 0.5)


def test_the_lines_of_a_block_are_found_in_messages_of_parts() -> None:
    request = [said("user", [{"type": "text", "text": FIRST}, {"type": "image_url", "image_url": {"url": "x"}}])]

    assert block_lines(request) == {"- [2026-01-01] tea", "- [2026-01-01] milk"}
