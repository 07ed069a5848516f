"""The network as the file that is shipped: one ONNX graph, int8, that shares the tokenizer of the embedder."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from .network import SHIPPED, Network

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class _Shipped(nn.Module):
    """Without the logits that only helped learning."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        logits: Tensor = self.network(ids, mask, segments)[:, :, :SHIPPED]
        return logits


def export(network: Network, file: Path) -> None:
    """Write the network to a file; the heads stay in float, which costs nothing and keeps the margins."""
    wide = file.with_suffix(".float.onnx")
    ids = torch.randint(1000, 2000, (2, 12))
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    axes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        _Shipped(network).eval(),
        (ids, mask, torch.zeros_like(ids)),
        str(wide),
        input_names=list(_INPUTS),
        output_names=["logits"],
        dynamic_axes={name: axes for name in (*_INPUTS, "logits")},
        opset_version=17,
        dynamo=False,
    )
    heads = [n.name for n in onnx.load(str(wide)).graph.node if "/own/" in n.name or "/whole/" in n.name]
    quantize_dynamic(
        str(wide), str(file), weight_type=QuantType.QInt8, per_channel=True, nodes_to_exclude=heads,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )  # fmt: skip
    wide.unlink()
