"""What agents with a memory send to their models, over one scripted chat: how much of it a prompt cache can keep.

`chat` has the script and the measures; `tests/frameworks/prompts` plays it with each framework and tells what was sent,
turn by turn. `python -m benchmarks.prompts NAME` measures one of them in an environment that has that framework.
"""
