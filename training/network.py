"""The network: the twelve layers of its base, and linear heads over its tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from . import base
from .base import Arrays
from .windows import Pack

WIDTH, HEADS, LAYERS, INNER = 384, 12, 12, 1536
OUTPUTS = {"relevance": slice(0, 1), "relation": slice(1, 5), "keep": slice(5, 11), "inference": slice(11, 14)}
SHIPPED = 11  # logits: inference helps learning only
_HEADS = 1  # the seed of those


class Layer(nn.Module):
    """Attention, then two dense layers, each with its residual."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value, self.attended = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attended_norm, self.out_norm = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.inner, self.out = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden: Tensor, seen: Tensor) -> Tensor:
        rows, length, _ = hidden.shape
        shape = (rows, length, HEADS, WIDTH // HEADS)
        query, key, value = (part(hidden).view(shape).transpose(1, 2) for part in (self.query, self.key, self.value))
        dropout = self.drop.p if self.training else 0.0
        found = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen, dropout_p=dropout)
        found = self.attended(found.transpose(1, 2).reshape(rows, length, WIDTH))
        hidden = self.attended_norm(hidden + self.drop(found))
        out: Tensor = self.out_norm(hidden + self.drop(self.out(functional.gelu(self.inner(hidden)))))
        return out


class Network(nn.Module):
    """Logits for every token; a text's are the mean of its tokens', and all share what the whole input says."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(30522, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.segments = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.drop = nn.Dropout(dropout)
        self.own, self.whole = (nn.Linear(WIDTH, OUTPUTS["inference"].stop) for _ in range(2))
        self.words.weight.requires_grad_(False)  # few words of the language are in the data; the others must stay alike

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """The logits of every token, one window a row: what is shipped."""
        places = torch.arange(ids.shape[1], device=ids.device)
        bias = (1.0 - mask[:, None, None, :].to(self.norm.weight.dtype)) * -10000.0
        hidden = self._read(ids, places, segments, bias)
        logits: Tensor = self.own(hidden) + self.whole(hidden[:, :1])
        return logits

    def texts(self, pack: Pack) -> Tensor:
        """The logits of every text of windows that stand side by side and do not see each other."""
        device = self.norm.weight.device
        ids, places, segments, window, first, text = (torch.from_numpy(field).to(device) for field in pack.fields)
        hidden = self._read(ids, places, segments, window[:, None, :, None] == window[:, None, None, :]).flatten(0, 1)
        logits = (self.own(hidden) + self.whole(hidden)[first.flatten()]).float()
        logits = torch.cat([logits, torch.ones_like(logits[:, :1])], dim=1)
        sums = logits.new_zeros(pack.texts + 1, logits.shape[1]).index_add(0, text.flatten(), logits)[:-1]
        return sums[:, :-1] / sums[:, -1:]

    def _read(self, ids: Tensor, places: Tensor, segments: Tensor, seen: Tensor) -> Tensor:
        hidden = self.drop(self.norm(self.words(ids) + self.places(places) + self.segments(segments)))
        for layer in self.layers:
            hidden = layer(hidden, seen)
        last: Tensor = self.drop(hidden)
        return last


def from_base() -> Network:
    """A network with the weights of its base, and fresh heads.

    The heads begin alike in every run: only of runs that begin alike has the mean of their weights a meaning.
    """
    torch.manual_seed(_HEADS)
    network = Network()
    missing = network.load_state_dict(
        {name: torch.tensor(array) for name, array in base.weights().items()}, strict=False
    )
    assert {name.split(".")[0] for name in missing.missing_keys} == {"own", "whole"}, missing
    return network


def trained(network: Network) -> Arrays:
    """What fitting changed."""
    state = {name: value for name, value in network.state_dict().items() if not name.startswith("words")}
    return {name: value.detach().float().cpu().numpy() for name, value in state.items()}


def with_weights(*runs: Path) -> Network:
    """A network with the mean weights of several runs."""
    network = from_base()
    total: Arrays = {}
    for run in runs:
        for name, array in base.read(run).items():
            total[name] = total.get(name, np.zeros_like(array)) + array / np.float32(len(runs))
    network.load_state_dict({name: torch.tensor(value) for name, value in total.items()}, strict=False)
    return network
