"""The stand-in for a model says what it was told to say, and keeps what it was shown."""

from __future__ import annotations

from truekeep.testing.offline_model import OfflineModel

ASKED = [{"role": "system", "content": "You cook."}, {"role": "user", "content": "Soup?"}]


def test_it_answers_in_order_and_then_takes_note() -> None:
    model = OfflineModel("Tomato.", lambda prompt: f"I was told: {prompt.splitlines()[0]}")

    said = [model.chat.completions.create(model="any", messages=ASKED).choices[0].message.content for _ in range(3)]

    assert said == ["Tomato.", "I was told: You cook.", "Noted."]
    assert model.shown == ["You cook.\nSoup?"] * 3


def test_a_message_with_tool_calls_is_an_answer_too() -> None:
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    model = OfflineModel(calls, calls)

    assert model.chat.completions.create(model="any", messages=ASKED).choices[0].message.tool_calls == [{"id": "1"}]
    assert model.message_retrieval(model.create({"messages": ASKED})) == [calls]


def test_classic_autogen_makes_a_client_of_what_it_takes_for_a_class() -> None:
    model = OfflineModel("Tomato.")

    client = model(model.config["config_list"][0])

    assert model.__name__ == model.config["config_list"][0]["model_client_cls"]
    assert client.message_retrieval(client.create({"messages": ASKED})) == ["Tomato."]
    assert (client.cost(None), client.get_usage(None)) == (0.0, {})
