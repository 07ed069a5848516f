"""A plain chat client: `with_memory`, and the bytes that a model behind a real endpoint receives."""

from __future__ import annotations

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

from benchmarks.prompts.chat import SYSTEM, TURNS, Request, patient, reply
from tests.adapters.chat_client.model import running
from truekeep import Memory
from truekeep.adapters.chat_client import with_memory


def play(memory: Memory) -> list[Request]:
    with running(*map(reply, range(len(TURNS)))) as model:
        client = with_memory(OpenAI(base_url=model.url, api_key="none"), memory, guard=patient())
        messages: list[ChatCompletionMessageParam] = [{"role": "system", "content": SYSTEM}]
        for said in TURNS:
            messages.append({"role": "user", "content": said})
            answer = client.chat.completions.create(model="m", messages=messages)
            messages.append({"role": "assistant", "content": answer.choices[0].message.content})
        return [asked["messages"] for asked in model.asked]
