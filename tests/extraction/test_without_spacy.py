"""The patterns alone, where the extra ``offline`` is not installed: no rule needs spaCy to do its part."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT

READ = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "spacy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
import importlib.util
there = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "spacy" else there(name, *rest)
sys.meta_path.insert(0, Missing())
from pathlib import Path
from kgfs.extraction.extractor import extractor_name, extract
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from tests.extraction.read_texts import parsed
assert extractor_name("auto") == "patterns"
samples = Path(sys.argv[1])
documents = [parsed(path.read_text(), str(path.relative_to(samples))) for path in sorted(samples.rglob("*.md"))]
gazetteer = make_gazetteer([stated_names(document) for document in documents])
read = [extract(document, gazetteer) for document in documents]
print(len(read), sum(len(one.entities) for one in read), sum(len(one.facts) for one in read))
"""


def test_the_samples_are_read() -> None:
    done = subprocess.run(
        [sys.executable, "-c", READ, ROOT / "kgfs/samples"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert "failed" not in done.stderr  # what `Faults` writes of a rule
    documents, entities, facts = map(int, done.stdout.split())
    assert documents > 40 and entities > 200 and facts > 100
