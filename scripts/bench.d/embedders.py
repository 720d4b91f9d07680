"""Whether two forms of the embedding model are one vector space, and what each costs: torch and onnxruntime.

    scripts/bench embedders DIR [--chunks 1000] [--onnx FOLDER] [--json FILE]

Documents beneath DIR are cut into chunks as ``kgfs add`` cuts them. Each is embedded by the packaged model in both
forms; the ONNX form is made from its weights unless FOLDER has it. Printed: the least and the mean cosine of the two
vectors of a chunk, how many chunks have their nearest other one in common, seconds to load and to embed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from kgfs.config import Config
from kgfs.documents.chunking import chunk
from kgfs.documents.markdown import markdown_blocks
from kgfs.graph import embedding_text
from kgfs.models.embedders import Embedder, load
from tests.onnx_models import write_onnx_form


def chunks(directory: Path, count: int) -> list[str]:
    """The texts that would be embedded of the first so many chunks, in order of path."""
    found: list[str] = []
    for path in sorted(directory.rglob("*")):
        if path.suffix in (".md", ".txt") and len(found) < count:
            text = path.read_text("utf-8", "replace")
            ref = f"disk:{path}"
            found += [
                embedding_text.chunk_text(path.stem, "", each.headings, ref, each.text)
                for each in chunk(text, markdown_blocks(text))
            ]
    return found[:count]


def measure(config: Config, texts: list[str]) -> tuple[Any, dict[str, float]]:
    started = time.monotonic()
    embedder: Embedder = load(config)
    embedder.encode_query("warm")
    loaded = time.monotonic()
    vectors = embedder.encode(texts)
    return vectors, {"load_seconds": loaded - started, "embed_seconds": time.monotonic() - loaded}


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench embedders", description="Forms of the embedding model.")
    parser.add_argument("directory", type=Path, metavar="DIR")
    parser.add_argument("--chunks", type=int, default=1000)
    parser.add_argument("--onnx", type=Path, metavar="FOLDER")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    texts = chunks(options.directory, options.chunks)
    if not texts:
        parser.error(f"there is no Markdown and no text beneath {options.directory}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.onnx or write_onnx_form(Path(temporary) / "form")
        theirs, onnx = measure(Config(embedding_model=f"onnx:{folder}"), texts)
        ours, torch = measure(Config(), texts)
    cosines = (ours * theirs).sum(axis=1)
    nearest = []
    for vectors in (ours, theirs):
        scores = vectors @ vectors.T
        np.fill_diagonal(scores, -1)
        nearest.append(scores.argmax(axis=1))
    result = {
        "chunks": len(texts),
        "least_cosine": float(cosines.min()),
        "mean_cosine": float(cosines.mean()),
        "same_nearest": float((nearest[0] == nearest[1]).mean()),
        "onnxruntime": onnx,
        "torch": torch,
    }
    print("| chunks | least cosine | mean | same nearest | torch loads, embeds | onnxruntime loads, embeds |")
    print("|---|---|---|---|---|---|")
    print(
        f"| {len(texts):,} | {cosines.min():.6f} | {cosines.mean():.6f} | {result['same_nearest']:.3f} |"
        f" {torch['load_seconds']:.1f} s, {torch['embed_seconds']:.0f} s |"
        f" {onnx['load_seconds']:.1f} s, {onnx['embed_seconds']:.0f} s |"
    )
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
