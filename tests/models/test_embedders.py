"""Embedding models: two forms of one model are one vector space, others are refused, prompts, long texts."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from kgfs.config import VECTORS, Config
from kgfs.errors import ModelError, ModelMismatch
from kgfs.index_records import IndexRow
from kgfs.models import embedders
from kgfs.models.bert_embedder import is_plain_bert, open_bert
from kgfs.models.client import Worker
from kgfs.models.embedders import SentenceTransformerEmbedder, identify, load, locate
from kgfs.models.spaces import PROBES, SPACE, StoreSpace
from kgfs.models.text_encoder import MOST_WINDOWS, windows
from kgfs.store.index.vectors import VectorStore
from tests.indexed_graph import vectors_of
from tests.onnx_models import PACKAGED, write_onnx_form, write_small_model

TEXTS = [
    *PROBES, "", " ", "a", "é" * 700, "…", "wages " * 300, "word\n" * 2000,
    *(f"{number} employers in district {number % 12} said that {word} were hard to find, \n\nand paid more."
      for number, word in enumerate("workers drivers nurses welders teachers cooks pilots clerks".split() * 4)),
]  # fmt: skip


@pytest.fixture(scope="module")
def onnx_form(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packaged model in ONNX form."""
    return write_onnx_form(tmp_path_factory.mktemp("onnx") / "form")


def small(folder: Path, **options: object) -> Config:
    return Config(embedding_model=str(write_small_model(folder, **options)), embedding_dimension=0)  # type: ignore[arg-type]


# --- one space -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.model
def test_a_plain_bert_on_torch_alone_is_what_sentence_transformers_makes_of_it() -> None:
    config, place = Config(), locate(Config().embedding_model)
    assert isinstance(place, Path) and is_plain_bert(place)
    ours, theirs = open_bert(config, place, half=False), SentenceTransformerEmbedder(config, place)
    assert ours is not None and ours.dimension == theirs.dimension == 384
    theirs._bulk = nullcontext  # 32-bit floats, as ours
    assert np.abs(ours.encode(TEXTS) - theirs.encode(TEXTS)).max() < 1e-5
    for query in ("what did wages do?", "", "ß東京"):
        assert np.abs(ours.encode_query(query) - theirs.encode_query(query)).max() < 1e-5


@pytest.mark.slow
@pytest.mark.model
def test_half_floats_and_the_other_texts_of_a_batch_change_a_vector_by_less_than_search_can_tell() -> None:
    if not embedders._has_half_units():  # which takes torch
        pytest.skip("the processor has no 16-bit floats")
    config, place = Config(), locate(Config().embedding_model)
    assert isinstance(place, Path)
    whole, half = open_bert(config, place, half=False), open_bert(config, place, half=True)
    assert whole is not None and half is not None
    alone = np.concatenate([whole.encode([text]) for text in TEXTS])
    assert np.abs(alone - whole.encode(TEXTS)).max() < 1e-5
    assert (alone * half.encode(TEXTS)).sum(axis=1).min() > 0.9998
    assert np.array_equal(whole.encode_query("what did wages do?"), half.encode_query("what did wages do?"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("config.json", {"hidden_act": "relu"}), ("config.json", {"model_type": "mpnet"}),
        ("config.json", {"position_embedding_type": "relative_key"}), ("config.json", {"architectures": ["BertForX"]}),
        ("sentence_bert_config.json", {"do_lower_case": True}), ("config.json", None), ("modules.json", None),
        ("modules.json", [{"type": "a.Transformer", "path": ""}, {"type": "a.Pooling"}, {"type": "a.Dense"}]),
    ],
)  # fmt: skip
def test_what_is_no_plain_bert(name: str, said: object, tmp_path: Path) -> None:
    place = locate(Config().embedding_model)
    assert isinstance(place, Path)
    folder = tmp_path / "model"
    folder.mkdir()
    for file in place.iterdir():
        if file.name != name:
            (folder / file.name).symlink_to(file)
    assert is_plain_bert(folder) is (name == "sentence_bert_config.json")
    if said is not None:
        held = json.loads((place / name).read_bytes())
        (folder / name).write_text(json.dumps({**held, **said} if isinstance(said, dict) else said))
    assert not is_plain_bert(folder)


@pytest.mark.slow
@pytest.mark.model
def test_the_form_in_the_wheel_is_of_the_same_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its weights are 16-bit floats; it is taken where the package with the other form is not installed."""
    config, place = Config(), locate(Config().embedding_model)
    assert isinstance(place, Path)
    monkeypatch.setattr(embedders, "SHIPPED", tmp_path)
    shipped = write_onnx_form(tmp_path / "all-MiniLM-L6-v2", half=True)
    assert sum(file.stat().st_size for file in shipped.rglob("*") if file.is_file()) < 47_000_000
    torch = open_bert(config, place, half=False)
    assert torch is not None
    monkeypatch.setitem(embedders.PACKAGED, "all-MiniLM-L6-v2", ("no_such_package", "model"))
    assert locate(config.embedding_model) == shipped
    cosines = (torch.encode(TEXTS[-20:]) * load(config).encode(TEXTS[-20:])).sum(axis=1)
    assert cosines.min() > 0.9999
    shutil.rmtree(shipped)
    with pytest.raises(ModelError, match=r"kgfs\[torch\]"):
        load(config)


@pytest.mark.slow
@pytest.mark.model
def test_both_forms_of_the_packaged_model_are_one_space_on_one_store(
    worker: Worker, onnx_form: Path, tmp_path: Path
) -> None:
    ours = vectors_of(worker, TEXTS)
    theirs = load(Config(embedding_model=str(onnx_form))).encode(TEXTS)
    assert (ours * theirs).sum(axis=1).min() > 0.999
    found = worker.nearest(["chunk"], "pay of workers", 3, wait=60.0)["chunk"]
    log = worker._process.log_path
    shutil.copytree(log.parent / VECTORS, tmp_path / VECTORS)
    with Worker(tmp_path, Config(embedding_model=f"onnx:{onnx_form}")) as other:
        again = other.nearest(["chunk"], "pay of workers", 3, wait=60.0)["chunk"]
        assert again.ids == found.ids and np.allclose(again.scores, found.scores, atol=0.001)
        other.index_vectors("chunk", [IndexRow(id=900, document_id=1, gen=1, title="", text="pay of workers")])
        assert other.nearest(["chunk"], "pay of workers", 1)["chunk"].ids == [900]
        status = other.load_model()
        assert (status.model, status.model_id) == ("ready", worker.status().model_id)


@pytest.mark.model
def test_pooling_and_prompts_are_those_of_sentence_transformers(tmp_path: Path) -> None:
    prompts = {"query": "query: ", "passage": "the passage is this: "}
    folder = write_small_model(tmp_path / "both", pooling="cls", prompts=prompts, torch=True)
    ours = load(Config(embedding_model=f"onnx:{folder}"))
    with Worker(tmp_path / "store", Config(embedding_model=str(folder), embedding_dimension=32)) as worker:
        assert (ours.encode(TEXTS) * vectors_of(worker, TEXTS)).sum(axis=1).min() > 0.999
        worker.index_vectors("chunk", [IndexRow(id=1, document_id=1, gen=1, title="", text="x", embedded="cats")])
        (cosine,) = worker.nearest(["chunk"], "dogs", 1, wait=60.0)["chunk"].scores
        assert cosine == pytest.approx(float(ours.encode(["cats"])[0] @ ours.encode_query("dogs")), abs=0.002)


def test_prompts_stand_before_queries_and_passages(tmp_path: Path) -> None:
    plain = load(small(tmp_path / "plain"))
    declared = load(small(tmp_path / "declared", prompts={"query": "query: ", "document": "passage: "}))
    config = Config(embedding_model=str(tmp_path / "declared"), embedding_query_prefix="Q ")
    chosen = load(config)
    for text in ("wages", "wages " * 400):
        passage, query = declared.encode([text])[0], declared.encode_query(text)
        assert not np.allclose(passage, plain.encode([text])[0], atol=1e-5)
        assert not np.allclose(passage, query, atol=1e-5)
        assert np.allclose(passage, chosen.encode([text])[0], atol=1e-6)
    assert np.allclose(declared.encode(["wages"]), plain.encode(["passage: wages"]), atol=1e-6)
    assert np.allclose(declared.encode_query("wages"), plain.encode_query("query: wages"), atol=1e-6)
    assert np.allclose(chosen.encode_query("wages"), plain.encode_query("Q wages"), atol=1e-6)
    assert np.allclose(plain.encode_query("wages"), plain.encode(["wages"])[0], atol=1e-6)


# --- which space a store has -----------------------------------------------------------------------------------------


def kept(directory: Path, model_id: str, dimension: int = 32) -> VectorStore:
    """An index that holds one vector."""
    index = VectorStore(directory, dimension)
    row = IndexRow(id=1, document_id=1, gen=1, title="", text="x")
    index.put_vectors("chunk", [row], np.eye(1, dimension, dtype=np.float32), model_id)
    return index


def test_a_store_takes_the_space_of_its_first_model_and_keeps_it(tmp_path: Path) -> None:
    first, second = small(tmp_path / "a", seed=1), small(tmp_path / "b", seed=2)
    shutil.copytree(tmp_path / "a", tmp_path / "moved")
    moved = Config(embedding_model=str(tmp_path / "moved"), embedding_dimension=32)
    index = VectorStore(tmp_path / VECTORS, 0)
    one = load(first)
    name = StoreSpace(tmp_path / VECTORS, first).id_for(one, index)
    assert index.dimension == 32 and name.startswith(first.embedding_model)
    kept(tmp_path / VECTORS, name)
    assert StoreSpace(tmp_path / VECTORS, moved).id_for(load(moved), index) == name
    for other in (second, small(tmp_path / "wide", dimension=48), Config(embedding_passage_prefix="passage: ",
                  embedding_model=first.embedding_model, embedding_dimension=32)):  # fmt: skip
        space = StoreSpace(tmp_path / VECTORS, other)
        embedder = load(other)
        for _ in range(2):
            with pytest.raises(ModelMismatch, match=r"run `kgfs reembed`.*kgfs config embedding_model"):
                space.id_for(embedder, index)
    with pytest.raises(ModelError, match="32 dimensions and this store is set to 384; run `kgfs reembed`"):
        StoreSpace(tmp_path / VECTORS, Config(embedding_model=first.embedding_model)).id_for(one, index)
    assert index.model_ids() == {name}  # nothing was dropped
    space = StoreSpace(tmp_path / VECTORS, second)
    new = space.adopt(load(second), index)
    assert new != name and index.model_ids() == set() and StoreSpace(tmp_path / VECTORS, second)._read() is not None


def test_another_model_in_the_same_folder_is_noticed(tmp_path: Path) -> None:
    config = small(tmp_path / "model", seed=1)
    index = VectorStore(tmp_path / VECTORS, 0)
    name = StoreSpace(tmp_path / VECTORS, config).id_for(load(config), index)
    kept(tmp_path / VECTORS, name)
    shutil.rmtree(tmp_path / "model")
    small(tmp_path / "model", seed=2)
    with pytest.raises(ModelMismatch):
        StoreSpace(tmp_path / VECTORS, config).id_for(load(config), index)


def test_a_store_without_a_record_goes_on_with_the_model_of_its_vectors(tmp_path: Path) -> None:
    ours, other = small(tmp_path / "a", seed=1), small(tmp_path / "b", seed=2)
    one, two = load(ours), load(other)
    former = identify(ours.embedding_model, Path(ours.embedding_model))
    index = kept(tmp_path / VECTORS, former)
    record = tmp_path / VECTORS / SPACE
    short = json.dumps({"model_id": former, "setting": "", "dimension": 32, "texts": ["a"], "vectors": ""})
    for damage in (record.unlink, lambda: record.write_text("{"), lambda: record.write_text(short)):
        record.touch()
        damage()
        with pytest.raises(ModelMismatch):
            StoreSpace(tmp_path / VECTORS, other).id_for(two, index)
        assert StoreSpace(tmp_path / VECTORS, ours).id_for(one, index) == former
        assert json.loads(record.read_text())["model_id"] == former
        with pytest.raises(ModelMismatch):
            StoreSpace(tmp_path / VECTORS, other).id_for(two, index)


# --- long texts ------------------------------------------------------------------------------------------------------


@pytest.mark.model
def test_the_end_of_a_long_chunk_is_found_by_its_meaning(worker: Worker) -> None:
    filler = "Corn and soybean prices were low across Iowa, and farm incomes fell again this year. " * 16
    end = "The orchestra played a symphony by Mahler, and the conductor was applauded."
    rows = [
        IndexRow(id=number, document_id=9, gen=1, title="", text=f"{number}", embedded=text)
        for number, text in ((5001, filler), (5002, f"{filler}\n\n{end}"), (5003, f"{filler} {filler}"))
    ]
    worker.index_vectors("chunk", rows)
    found = worker.nearest(["chunk"], "classical music concert", 20, wait=60.0)["chunk"]
    worker.unindex("chunk", [row.id for row in rows])
    scores = dict(zip(found.ids, found.scores, strict=True))
    assert scores[5002] > scores.get(5001, 0.0) + 0.05 and scores[5002] > scores.get(5003, 0.0) + 0.05


def test_windows_hold_the_whole_text_and_cut_no_word() -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(PACKAGED / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    words = [f"unbelievably{number}" for number in range(400)]
    for text, room in ((" ".join(words), 100), ("x-" * 300, 64), ("日本" * 300, 50), (" ".join(words[:9]), 8)):
        parts = windows(tokenizer, text, room)
        sizes = [len(tokenizer.encode(part, add_special_tokens=False).ids) for part, _ in parts]
        assert len(parts) > 1 and [weight for _, weight in parts] == sizes and max(sizes) <= room
        assert max(sizes) - min(sizes) <= 30 + room // 8 or len(parts) == MOST_WINDOWS
        if len(parts) < MOST_WINDOWS:
            assert "".join("".join(part.split()) for part, _ in parts) == "".join(text.split())
    cut = [word for part, _ in windows(tokenizer, " ".join(words), 100) for word in part.split()]
    assert cut == words[: len(cut)]
    assert windows(tokenizer, "short", 100) == [("short", 1)]
    assert len(windows(tokenizer, "word " * 100_000, 254)) == MOST_WINDOWS


# --- what cannot be loaded -------------------------------------------------------------------------------------------


def test_an_onnx_form_that_cannot_be_loaded_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = small(tmp_path / "model")
    folder = Path(config.embedding_model)
    modules = folder / "modules.json"
    plain = modules.read_bytes()

    def fails(match: str, setting: str = "") -> None:
        with pytest.raises(ModelError, match=match) as raised:
            load(Config(embedding_model=setting or config.embedding_model))
        assert "kgfs config embedding_model" in raised.value.message

    modules.write_text(json.dumps([*json.loads(plain), {"type": "sentence_transformers.models.Dense", "path": "3"}]))
    fails("has a layer Dense, which its ONNX form lacks")
    modules.write_text("{")
    fails("cannot be loaded")
    modules.unlink()
    assert load(config).dimension == 32  # mean pooling
    modules.write_bytes(plain)
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "weightedmean"}')
    fails("the pooling weightedmean")
    (folder / "1_Pooling" / "config.json").write_text("{}")
    fails("There is no model.onnx", f"onnx:{tmp_path}")
    fails("There is no model directory", "onnx:nowhere")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "onnxruntime", None)
        fails(r"onnxruntime is not installed; run `pip install onnxruntime`")
    (folder / "model.onnx").write_bytes(b"\x08" * 100)
    fails("cannot be loaded")


@pytest.mark.parametrize("setting", ["me/mine", "mine"])
def test_a_model_of_the_cache_is_looked_for_before_libraries_are_imported(
    setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    monkeypatch.setattr(embedders, "SentenceTransformerEmbedder", lambda config, place: taken.append(place))
    with pytest.raises(ModelError, match=r"not in the cache of models\); choose another"):
        load(Config(embedding_model=setting))
    (tmp_path / ("models--me--mine" if "/" in setting else "models--sentence-transformers--mine")).mkdir()
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    load(Config(embedding_model=setting))
    assert taken == [setting]
