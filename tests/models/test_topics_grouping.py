"""Topics that belong together by the vectors of their chunks: found again, whole, and left alone when others come."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kgfs.graph.topics.grouping import GROWN, MIN_GROUP, MIN_TOPICS, group_topics
from kgfs.graph.topics.keys import topic_key
from kgfs.index_records import IndexRow
from kgfs.model import TopicGroup, TopicMember
from kgfs.models.client import Worker

SUBJECTS = ("tax", "cat", "sea", "war")
DIMENSION = 24
Vectors = NDArray[np.float32]


def centre(word: str) -> Vectors:
    vector = np.random.default_rng(zlib.crc32(word.encode())).normal(size=DIMENSION)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def embed(names: Sequence[str]) -> Vectors:
    """``tax 3`` lies near all other names that begin with ``tax``."""
    found = np.stack([centre(name.split()[0]) + 0.2 * centre(name) for name in names])
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def member(name: str, **fields: object) -> TopicMember:
    chunks = [zlib.crc32(f"{name} {number}".encode()) for number in range(3)]
    return TopicMember(key=name, name=name, chunks=chunks, **fields)  # type: ignore[arg-type]


def vectors(members: Sequence[TopicMember]) -> dict[int, Vectors]:
    return {
        chunk: embed([f"{one.name} {chunk}"])[0]
        for one in members
        for chunk in one.chunks
        if not one.name.startswith("?")
    }


def topics(each: int) -> list[TopicMember]:
    return sorted((member(f"{word} {n}") for word in SUBJECTS for n in range(each)), key=lambda one: one.key)


def grouped(members: Sequence[TopicMember], made: Sequence[TopicGroup]) -> list[TopicMember]:
    """The members as they are the next time."""
    of = {key: group for group in made for key in group.members}
    return [
        member(one.name, group=of[one.key].key, group_name=of[one.key].name, size=of[one.key].size)
        if one.key in of
        else member(one.name)
        for one in members
    ]


def subjects(made: Sequence[TopicGroup]) -> list[set[str]]:
    return sorted(({key.split()[0] for key in group.members} for group in made), key=sorted)


def test_what_is_alike_is_together() -> None:
    members = topics(8)
    made = group_topics(members, vectors(members), embed)
    assert subjects(made) == [{word} for word in sorted(SUBJECTS)]
    assert sum(len(group.members) for group in made) == 32
    for group in made:
        assert group.key == topic_key(group.name) and group.key in group.members
        assert group.size == 32


def test_few_topics_and_topics_without_vectors_have_no_groups() -> None:
    assert group_topics([], {}, embed) == []
    few = topics(MIN_TOPICS // len(SUBJECTS))
    assert group_topics(few, vectors(few), embed) == []
    many = [member(f"? {number:02}") for number in range(40)]
    assert group_topics(many, vectors(many), embed) == []


def test_groups_that_are_there_stay_and_take_what_is_near() -> None:
    members = topics(8)
    made = group_topics(members, vectors(members), embed)
    assert group_topics(grouped(members, made), vectors(members), embed) == sorted(made, key=lambda group: group.key)
    more = sorted([*grouped(members, made), member("cat new"), member("zebra lone")], key=lambda one: one.key)
    after = group_topics(more, vectors(more), embed)
    assert [(group.key, group.name) for group in after] == sorted((group.key, group.name) for group in made)
    (cats,) = (group for group in after if "cat 1" in group.members)
    assert "cat new" in cats.members
    assert not any("zebra lone" in group.members for group in after)


def test_with_many_more_topics_all_groups_are_made_anew() -> None:
    members = topics(8)
    made = group_topics(members, vectors(members), embed)
    more = [member(f"{word} {number}") for word in ("ice", "rye") for number in range(round(32 * GROWN) - 20)]
    both = sorted([*grouped(members, made), *more], key=lambda one: one.key)
    after = group_topics(both, vectors(both), embed)
    assert all(group.size == len(both) for group in after)
    assert {"ice"} in subjects(after) and {"rye"} in subjects(after)


def test_a_far_larger_topic_is_under_none() -> None:
    members = topics(8)
    made = group_topics(members, vectors(members), embed)
    (cats,) = (group for group in made if "cat 1" in group.members)
    again = grouped(members, made)
    for one in again:
        if one.group == cats.key and one.key != cats.key:
            one.chunks = [*one.chunks, *range(100)]
            large = one.key
            break
    after = group_topics(again, vectors(members), embed)
    assert not any(large in group.members for group in after)


@settings(max_examples=20, deadline=None)
@given(st.sets(st.tuples(st.sampled_from("abcdef"), st.integers(0, 30)), min_size=MIN_TOPICS, max_size=60))
def test_groups_are_apart_and_have_names_of_their_own(found: set[tuple[str, int]]) -> None:
    members = sorted((member(f"{word * 3} {number}") for word, number in found), key=lambda one: one.key)
    known = vectors(members)
    made = group_topics(members, known, embed)
    assert made == group_topics(members, known, embed)
    keys = [key for group in made for key in group.members]
    assert len(keys) == len(set(keys)) and set(keys) <= {one.key for one in members}
    assert len({group.key for group in made}) == len(made)
    assert all(len(group.members) >= MIN_GROUP or group.key in group.members for group in made)


@pytest.mark.model
def test_the_worker_groups_by_the_vectors_it_holds(new_worker: Worker) -> None:
    names = {
        "cooking": ["bread", "soup", "cake", "cheese", "pasta", "salad", "butter", "roast", "sauce", "dessert", "stew"],
        "weather": ["rain", "snow", "storm", "wind", "fog", "frost", "thunder", "drought", "hail", "sunshine", "haze"],
        "law": ["court", "judge", "lawsuit", "verdict", "attorney", "statute", "appeal", "trial", "jury", "prosecutor",
                "defendant"],
    }  # fmt: skip
    rows, members = [], []
    for subject, words in names.items():
        for word in words:
            number = len(rows) + 1
            text = f"This passage is about {word}, and {subject} in general."
            rows.append(IndexRow(id=number, document_id=1, gen=1, title=word, text=text, embedded=text))
            members.append(TopicMember(key=word, name=word, chunks=[number]))
    assert new_worker.group_topics(members) == []
    new_worker.index_vectors("chunk", rows)
    made = new_worker.group_topics(sorted(members, key=lambda one: one.key))
    assert len(made) >= 3
    for group in made:
        assert sum(any(key in words for key in group.members) for words in names.values()) == 1
