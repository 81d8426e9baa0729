"""``python -m mcmteach export model.json -o machine.h``: a saved machine as C or as ONNX."""

from __future__ import annotations

import argparse
from pathlib import Path

from mcmteach.errors import InvalidInputError
from mcmteach.export.c_code import STORED_AS, to_c
from mcmteach.export.model_file import load_model
from mcmteach.export.onnx_graph import to_onnx

EXPORT = """\
Write a machine that was saved with mcmteach.save_model as a C header, or as ONNX where the output ends in .onnx.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, help="file of save_model")
    parser.add_argument("-o", "--output", type=Path, required=True, help="file to write: machine.h or machine.onnx")
    parser.add_argument(
        "--dtype", choices=list(STORED_AS), default="float32", help="how C stores vectors and coefficients"
    )
    parser.add_argument("--name", help="begins every name in the header (default: the output's name)")
    parser.add_argument(
        "--exp", choices=["library", "polynomial"], default="library", help="C: expf, or a polynomial in its place"
    )


def run(options: argparse.Namespace) -> int:
    if not options.model.is_file():
        raise InvalidInputError(f"There is no file {options.model}. Save a machine with mcmteach.save_model first.")
    machine, name = load_model(options.model), options.name or options.output.stem
    if options.output.suffix == ".onnx":
        content = to_onnx(machine, name).SerializeToString()
    else:
        content = to_c(machine, options.dtype, name, options.exp).encode()
    options.output.write_bytes(content)
    print(f"{options.output} has {len(content):,} bytes, for {machine.n_features} features.")
    return 0
