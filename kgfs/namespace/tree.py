"""The tree is this table: every path pattern, what stands there, and one line about it (design, section 2).

``namespace`` walks it, ``docs/tree.md`` is generated from it (``python -m kgfs.namespace.document``), and the invariant tests go
over every row. To add a directory add a row here and, if it shows something new, a view.
"""

# One row is one line, whatever its length: this is a table.
# ruff: noqa: E501
from __future__ import annotations

from kgfs.namespace import scope as sc
from kgfs.namespace import segments as seg
from kgfs.namespace.audit_source import BY_DAY, BY_NAME
from kgfs.namespace.domains import Domain, Slugged
from kgfs.namespace.node import NodeRef
from kgfs.namespace.queries import between as qc
from kgfs.namespace.queries import brief as qb
from kgfs.namespace.queries import engines as qe
from kgfs.namespace.queries import find as qf
from kgfs.namespace.queries import grep as qg
from kgfs.namespace.queries import path_files as qp
from kgfs.namespace.queries import pictures as pic
from kgfs.namespace.queries import search as q
from kgfs.namespace.queries import sql as qs
from kgfs.namespace.queries.areas import QueryRows
from kgfs.namespace.route import EVERYWHERE, Area, Dir, File, Link, NodeType, Stamp, Submounted, Table, compile_rows
from kgfs.namespace.run_source import ANSWER, CITATIONS, COST, MESSAGES, TRANSCRIPT
from kgfs.namespace.runtime import Runtime
from kgfs.namespace.segments import site as ws
from kgfs.namespace.segments.history import HistoryNames, Versions
from kgfs.namespace.site import addresses, drawings, lists
from kgfs.namespace.site.document_page import document_page
from kgfs.namespace.site.entity_page import entity_page
from kgfs.namespace.site.fact_page import fact_page
from kgfs.namespace.site.topic_page import topic_page
from kgfs.namespace.snapshot import Snapshot
from kgfs.namespace.views import agent as vr
from kgfs.namespace.views import audit as va
from kgfs.namespace.views import context as vc
from kgfs.namespace.views import documents as vd
from kgfs.namespace.views import entities as ve
from kgfs.namespace.views import facts as vf
from kgfs.namespace.views import guide as vg
from kgfs.namespace.views import history as vh
from kgfs.namespace.views import status as vs
from kgfs.namespace.views import topics as vt
from kgfs.namespace.views import web as vw
from kgfs.namespace.views.files import PageFile, Rendered, Small
from kgfs.namespace.views.links import Fixed, To
from kgfs.namespace.views.pictures import PictureFile
from kgfs.namespace.views.progress import IngestPicture
from kgfs.namespace.views.stamps import RowColumn, dated, latest, latest_beneath, newest, published


def entities(s: Snapshot) -> Slugged:
    return s.entities


def documents(s: Snapshot) -> Slugged:
    return s.documents


def topics(s: Snapshot) -> Slugged:
    return s.topics


def chunks(s: Snapshot) -> Domain:
    return s.chunks


def facts(s: Snapshot) -> Domain:
    return s.facts


def is_person(s: Snapshot, node: NodeRef) -> bool:
    return s.entity_directory[s.entities.index(node.id)] == s.people


def is_place(s: Snapshot, node: NodeRef) -> bool:
    return s.entity_directory[s.entities.index(node.id)] == s.places


def has_page(s: Snapshot, node: NodeRef) -> bool:
    return s.entity_pages.count(s.entities.index(node.id)) > 0


def _to(domain: str, by_sub: bool = False) -> To:
    pick, path = {
        "entity": (entities, Snapshot.entity_path), "document": (documents, Snapshot.document_path),
        "topic": (topics, Snapshot.topic_path), "chunk": (chunks, Snapshot.chunk_path), "fact": (facts, Snapshot.fact_path),
    }[domain]  # fmt: skip
    return To(pick, path, lambda s: s.path_sizes[domain], by_sub)


def _to_other(side: seg.Side) -> To:
    """To the entity on the other side of a fact; dated as the fact is."""
    lengths = "object" if side.subject else "subject"
    return To(facts, lambda s, fact: s.entity_path(side.other(s, fact)), lambda s: s.path_sizes[lengths])


CHUNKS_BY_DATE = seg.Dated(lambda s: s.months_of_chunks, lambda s: s.chunk_month, seg.CHUNK)
FACTS_BY_DATE = seg.Dated(lambda s: s.months_of_facts, lambda s: s.fact_month, seg.FACT)
ENTITIES_BY_PREFIX = seg.ByPrefix(seg.ENTITY, entities)
DOCUMENTS_BY_PREFIX = seg.ByPrefix(seg.DOCUMENT, documents)
ENTITY_PREFIXES, DOCUMENT_PREFIXES = seg.Beginnings(ENTITIES_BY_PREFIX), seg.Beginnings(DOCUMENTS_BY_PREFIX)
ENTITY_FACTS = RowColumn(entities, lambda s: s.stated.owned_counts)
OF_ENTITY, OF_DOCUMENT, OF_CHUNK, OF_TOPIC = dated(entities), dated(documents), dated(chunks), dated(topics)
E_FACTS, E_MENTIONS = newest(entities, "entity_facts"), newest(entities, "entity_mentions")
E, D, C, T = (
    "entities/<types>/<Entity_Slug>/",
    "documents/<doc>/",
    "chunks/by_document/<doc>/<chunk>/",
    "topics/<topic>/",
)
FACT_FILE = PageFile("fact_line", facts)
WORKSPACE, KEY_VALUES, SESSIONS = "workspace/", "@kv/", "@session/"
"""Where a mount shows other file systems."""


def rows(run: Runtime) -> tuple[tuple[str, NodeType, str], ...]:
    """The table: pattern, what stands there, and one line about it."""
    ask, versions = QueryRows(run), vh.VersionBytes(run)

    def draw(name: str, collect: pic.Collect, stamp: Stamp) -> PictureFile:
        return PictureFile(lambda: run.pictures, name, collect, stamp)

    def page(tell: vw.Tell, stamp: Stamp) -> vw.PageOfSite:
        return vw.PageOfSite(lambda: run.pages, tell, stamp)

    def beside(name: str, collect: pic.Collect, place: drawings.Place, root: str, stamp: Stamp) -> PictureFile:
        return draw(f"{name} of a page", drawings.with_pages(collect, place, root), stamp)

    return (
        ("/", Dir(stamp=latest(), scope=sc.everything), "The graph."),
        ("AGENTS.md", File(view=Rendered("guide", vg.guide(run), published)), "Guide for a newcomer or an agent."),
        ("README.md", Link(to=Fixed("AGENTS.md", published)), "The same guide."),
        ("sources/", Dir(stamp=latest("file")), "One link a folder or file that was added."),
        ("sources/<name>", Link(to=vc.ToSource(), segment=seg.Sources()), "What was added under this name."),
        ("notes", Link(to=Fixed("context/agent", published)), "Where to write."),
        ("entities/", Dir(stamp=latest("entity"), scope=sc.every("entities")), "Everything that the graph speaks of."),
        ("entities/_index.tsv", File(view=Rendered("entities.tsv", ve.index_tsv, latest("entity"))), "All entities: slug, name, type, aliases, counts, path; most facts first."),
        ("entities/_counts.tsv", File(view=Small("entity-counts", ve.counts_tsv, latest("entity"))), "Types with their number of entities."),
        ("entities/by_name/", Dir(stamp=latest("entity")), "Every entity whatever its type, under its slug and its aliases."),
        ("entities/by_name/<slug or alias>", Link(to=_to("entity"), segment=seg.EntityNames()), "The entity."),
        ("entities/by_prefix/", Dir(stamp=latest("entity"), when=ENTITIES_BY_PREFIX.is_long, lazy=ENTITIES_BY_PREFIX), "Where there are more than 5,000: every entity by how its slug begins."),
        ("entities/by_prefix/<prefix>/", Dir(stamp=latest_beneath("entity", ENTITY_PREFIXES), segment=ENTITY_PREFIXES, lazy=ENTITIES_BY_PREFIX, scope=sc.only("entities", ENTITIES_BY_PREFIX.members)), "Those whose slugs begin so, at most 5,000."),
        ("entities/by_prefix/<prefix>/<slug>", Link(to=_to("entity"), segment=seg.Beginning(ENTITIES_BY_PREFIX)), "The entity."),
        ("entities/<types>/", Dir(stamp=ve.type_stamp, segment=seg.ENTITY_TYPES, scope=sc.entities_of_type), "Entities of a type; organizations, people, locations, concepts always."),
        ("entities/<types>/_index.txt", File(view=Rendered("slugs", ve.slugs_txt, ve.type_stamp)), "One slug a line, sorted."),
        (E, Dir(stamp=OF_ENTITY, segment=seg.Entities(), size=ENTITY_FACTS, scope=sc.entity), "One entity; its size is its number of facts."),
        ("entities/<types>/<former name>", Link(to=_to("entity"), segment=seg.Former(entities)), "Link from a former name to the current place."),
        (E + "summary.txt", File(view=PageFile("entity_summary", entities)), "At most 2,000 characters: name, type, aliases, description, ten best facts, top documents."),
        (E + "metadata.json", File(view=PageFile("entity_metadata", entities)), "Id, name, type, aliases, identifiers, counts, dates, extractor, declared attributes."),
        (E + "graph.svg", File(view=draw(pic.GRAPH, pic.entity_graph, OF_ENTITY), hidden=True), "Not listed: a picture of what is near it."),
        (E + "timeline.svg", File(view=draw(pic.TIMELINE, pic.timeline, OF_ENTITY), hidden=True), "Not listed: a picture of its dated facts."),
        (E + "facts/", Dir(stamp=E_FACTS, scope=sc.facts_of(seg.STATED)), "Facts with the entity as subject."),
        (E + "facts/all.jsonl", File(view=vf.ALL_STATED), "All of them, one a line: dated ones newest first, then the others."),
        (E + "facts/by_type/", Dir(stamp=E_FACTS), "The same by type."),
        (E + "facts/by_type/<TYPE>/", Dir(stamp=vf.group_stamp(seg.STATED), segment=seg.TypesOf(seg.STATED), scope=sc.facts_of_type(seg.STATED)), "Facts of a type."),
        (E + "facts/by_type/<TYPE>/<fact_id>.json", Link(to=_to("fact"), segment=seg.FactsOf(seg.STATED)), "The fact."),
        (E + "mentioned_in/", Dir(stamp=E_MENTIONS, scope=sc.facts_of(seg.RECEIVED)), "Facts with the entity as object."),
        (E + "mentioned_in/all.jsonl", File(view=vf.ALL_RECEIVED), "All of them, one a line: dated ones newest first, then the others."),
        (E + "mentioned_in/by_type/", Dir(stamp=E_MENTIONS), "The same by type."),
        (E + "mentioned_in/by_type/<TYPE>/", Dir(stamp=vf.group_stamp(seg.RECEIVED), segment=seg.TypesOf(seg.RECEIVED), scope=sc.facts_of_type(seg.RECEIVED)), "Facts of a type."),
        (E + "mentioned_in/by_type/<TYPE>/<fact_id>.json", Link(to=_to("fact"), segment=seg.FactsOf(seg.RECEIVED)), "The fact."),
        (E + "relationships/", Dir(stamp=newest(entities, "entity_relationships"), scope=sc.others(seg.STATED)), "Entities that its facts lead to."),
        (E + "relationships/<TYPE>/", Dir(stamp=vf.group_stamp(seg.STATED, edges=True), segment=seg.TypesOf(seg.STATED, edges=True), scope=sc.others_of_type(seg.STATED)), "By fact type."),
        (E + "relationships/<TYPE>/_edges.jsonl", File(view=vf.EDGES_STATED), "The facts behind the links."),
        (E + "relationships/<TYPE>/<Other_Slug>", Link(to=_to_other(seg.STATED), segment=seg.Others(seg.STATED)), "The other entity."),
        (E + "related_to/", Dir(stamp=E_MENTIONS, scope=sc.others(seg.RECEIVED)), "Entities whose facts lead here."),
        (E + "related_to/<INVERSE_TYPE>/", Dir(stamp=vf.group_stamp(seg.RECEIVED, edges=True), segment=seg.TypesOf(seg.RECEIVED, edges=True), scope=sc.others_of_type(seg.RECEIVED)), "By inverse type: ACQUIRED_BY."),
        (E + "related_to/<INVERSE_TYPE>/_edges.jsonl", File(view=vf.EDGES_RECEIVED), "The facts behind the links."),
        (E + "related_to/<INVERSE_TYPE>/<Other_Slug>", Link(to=_to_other(seg.RECEIVED), segment=seg.Others(seg.RECEIVED)), "The other entity."),
        (E + "co_occurs_with/", Dir(stamp=newest(entities, "entity_neighbours"), scope=sc.members("entities", "co_occurring", "entities")), "Entities in the same chunks; not a fact."),
        (E + "co_occurs_with/_edges.jsonl", File(view=PageFile("co_occurs", entities)), "How often, most first."),
        (E + "co_occurs_with/<Other_Slug>", Link(to=_to("entity", by_sub=True), segment=seg.Members("entities", "co_occurring", seg.ENTITY)), "The other entity."),
        (E + "roles/", Dir(stamp=newest(entities, "entity_relationships"), when=is_person, scope=sc.roles), "People only: the roles they hold or held."),
        (E + "roles/<ROLE>_of/", Dir(stamp=vf.group_stamp(seg.STATED, edges=True), segment=seg.Roles(), scope=sc.others_of_type(seg.STATED)), "CEO_of, Founder_of …"),
        (E + "roles/<ROLE>_of/<Org_Slug>", Link(to=_to_other(seg.STATED), segment=seg.Others(seg.STATED)), "What it is a role of."),
        (E + "economic_data/", Dir(stamp=E_FACTS, when=is_place, scope=sc.facts_of(seg.STATED)), "Locations only: dated figures."),
        (E + "economic_data/<indicator>.tsv", File(view=vf.IndicatorFile(), segment=seg.Indicators()), "date, value, unit, confidence, fact, document, quote; oldest first."),
        (E + "economic_data/<indicator>.svg", File(view=draw("series", pic.series, E_FACTS), segment=seg.Indicators(".svg"), hidden=True), "Not listed: the figures as a picture."),
        (E + "topics/", Dir(stamp=newest(entities, "entity_topics"), scope=sc.members("entities", "entity_topics", "topics")), "Topics of its chunks."),
        (E + "topics/<topic>", Link(to=_to("topic", by_sub=True), segment=seg.Members("entities", "entity_topics", seg.TOPIC)), "The topic."),
        (E + "chunks/", Dir(stamp=newest(entities, "entity_chunks"), scope=sc.members("entities", "entity_chunks", "chunks")), "Chunks that speak of it."),
        (E + "chunks/<chunk_id>", Link(to=_to("chunk", by_sub=True), segment=seg.Members("entities", "entity_chunks", seg.CHUNK)), "The chunk."),
        (E + "documents/", Dir(stamp=newest(entities, "entity_documents"), scope=sc.documents_of("entities", "entity_documents")), "Documents that speak of it."),
        (E + "documents/<doc>", Link(to=_to("document", by_sub=True), segment=seg.Members("entities", "entity_documents", seg.DOCUMENT)), "The document."),
        (E + "links/", Dir(stamp=newest(entities, "entity_links"), when=has_page, scope=sc.documents_of("entities", "entity_links")), "Documents that its page links to; where a document is about the entity."),
        (E + "links/<doc>", Link(to=_to("document", by_sub=True), segment=seg.Members("entities", "entity_links", seg.DOCUMENT)), "The document."),
        (E + "backlinks/", Dir(stamp=newest(entities, "entity_backlinks"), when=has_page, scope=sc.documents_of("entities", "entity_backlinks")), "Documents that link to its page."),
        (E + "backlinks/<doc>", Link(to=_to("document", by_sub=True), segment=seg.Members("entities", "entity_backlinks", seg.DOCUMENT)), "The document."),
        ("topics/", Dir(stamp=latest("topic"), scope=sc.every("topics")), "Topics at the top; the others are nested in them."),
        ("topics/_ontology.json", File(view=Small("ontology", vt.ontology, latest("topic"))), "The whole hierarchy."),
        ("topics/map.svg", File(view=draw("map", pic.topic_map, latest("topic")), hidden=True), "Not listed: a picture of the largest topics."),
        (T, Dir(stamp=OF_TOPIC, segment=seg.RootTopics(), scope=sc.topic), "One topic."),
        ("topics/<former name>", Link(to=_to("topic"), segment=seg.Former(topics, "topics/")), "Link from a former name to the current place."),
        (T + "definition.txt", File(view=PageFile("topic_definition", topics)), "What it is about."),
        (T + "graph.svg", File(view=draw("topic", pic.topic_graph, OF_TOPIC), hidden=True), "Not listed: a picture of what belongs to it."),
        (T + "subtopics/", Dir(stamp=OF_TOPIC, scope=sc.subtopics), "Topics beneath it."),
        (T + "subtopics/<topic>/", Dir(stamp=OF_TOPIC, segment=seg.Subtopics(), like=T), "The same shape, to any depth."),
        (T + "entities/", Dir(stamp=newest(topics, "topic_entities"), scope=sc.members("topics", "topic_entities", "entities")), "Entities of its own chunks."),
        (T + "entities/<slug>", Link(to=_to("entity", by_sub=True), segment=seg.Members("topics", "topic_entities", seg.ENTITY)), "The entity."),
        (T + "chunks/", Dir(stamp=newest(topics, "topic_chunks"), scope=sc.members("topics", "topic_chunks", "chunks")), "Its own chunks, without those of subtopics."),
        (T + "chunks/<chunk_id>", Link(to=_to("chunk", by_sub=True), segment=seg.Members("topics", "topic_chunks", seg.CHUNK)), "The chunk."),
        (T + "facts/", Dir(stamp=newest(topics, "topic_facts"), scope=sc.members("topics", "topic_facts", "facts")), "Facts of its own chunks."),
        (T + "facts/<fact_id>.json", Link(to=_to("fact", by_sub=True), segment=seg.Members("topics", "topic_facts", seg.FACT)), "The fact."),
        ("chunks/", Dir(stamp=latest("chunk"), scope=sc.every("chunks")), "Passages: what documents are cut into."),
        ("chunks/by_document/", Dir(stamp=latest("chunk")), "In order, joined, the chunks of a document are its text."),
        ("chunks/by_document/<doc>/", Dir(stamp=newest(documents, "document_chunks"), segment=seg.Everything(seg.DOCUMENT), scope=sc.chunks_of_document), "The chunks of a document."),
        ("chunks/by_document/<doc>/_toc.txt", File(view=PageFile("document_toc", documents)), "One line a chunk: lines, tokens, headings."),
        (C, Dir(stamp=OF_CHUNK, segment=seg.ChunksOf("chunk_"), scope=sc.chunk), "One chunk: chunk_0001, chunk_0002 …"),
        (C + "content.txt", File(view=vd.ChunkText()), "The passage."),
        (C + "metadata.json", File(view=PageFile("chunk_metadata", chunks)), "Headings, lines, page, date, tokens, origin."),
        (C + "entities/", Dir(stamp=newest(chunks, "chunk_entities"), scope=sc.members("chunks", "chunk_entities", "entities")), "Entities that it speaks of."),
        (C + "entities/<slug>", Link(to=_to("entity", by_sub=True), segment=seg.Members("chunks", "chunk_entities", seg.ENTITY)), "The entity."),
        (C + "facts/", Dir(stamp=newest(chunks, "chunk_facts"), scope=sc.members("chunks", "chunk_facts", "facts")), "Facts that it states."),
        (C + "facts/<fact_id>.json", Link(to=_to("fact", by_sub=True), segment=seg.Members("chunks", "chunk_facts", seg.FACT)), "The fact."),
        (C + "topics/", Dir(stamp=newest(chunks, "chunk_topics"), scope=sc.members("chunks", "chunk_topics", "topics")), "Topics that it belongs to."),
        (C + "topics/<topic>", Link(to=_to("topic", by_sub=True), segment=seg.Members("chunks", "chunk_topics", seg.TOPIC)), "The topic."),
        ("chunks/by_topic/", Dir(stamp=latest("chunk")), "Chunks by topic."),
        ("chunks/by_topic/<topic>/", Dir(stamp=OF_TOPIC, segment=seg.Everything(seg.TOPIC), scope=sc.members("topics", "topic_all_chunks", "chunks")), "The chunks of a topic with those of its subtopics."),
        ("chunks/by_topic/<topic>/<chunk_id>", Link(to=_to("chunk", by_sub=True), segment=seg.Members("topics", "topic_all_chunks", seg.CHUNK)), "The chunk."),
        ("chunks/by_date/", Dir(stamp=latest("chunk")), "Chunks by date."),
        ("chunks/by_date/<YYYY>/", Dir(stamp=vc.year_stamp(CHUNKS_BY_DATE), segment=seg.Years(CHUNKS_BY_DATE), scope=sc.year(CHUNKS_BY_DATE)), "Of a year."),
        ("chunks/by_date/<YYYY>/<MM>/", Dir(stamp=vc.month_stamp(CHUNKS_BY_DATE), segment=seg.Months(CHUNKS_BY_DATE), scope=sc.month(CHUNKS_BY_DATE)), "Of a month."),
        ("chunks/by_date/<YYYY>/<MM>/<chunk_id>", Link(to=_to("chunk"), segment=seg.OfMonth(CHUNKS_BY_DATE)), "The chunk."),
        ("chunks/by_date/undated/", Dir(stamp=latest("chunk"), scope=sc.undated(CHUNKS_BY_DATE)), "Without a date."),
        ("chunks/by_date/undated/<chunk_id>", Link(to=_to("chunk"), segment=seg.OfMonth(CHUNKS_BY_DATE, undated=True)), "The chunk."),
        ("documents/", Dir(stamp=latest("document"), scope=sc.every("documents", "chunks")), "What the graph was read out of."),
        ("documents/_index.json", File(view=Rendered("documents.json", vd.index_json, latest("document"))), "All documents with title, date, origin, type, size."),
        ("documents/_index.tsv", File(view=Rendered("documents.tsv", vd.index_tsv, latest("document"))), "The same as a table."),
        ("documents/by_prefix/", Dir(stamp=latest("document"), when=DOCUMENTS_BY_PREFIX.is_free, lazy=DOCUMENTS_BY_PREFIX), "Where there are more than 5,000: every document by how its name begins."),
        ("documents/by_prefix/<prefix>/", Dir(stamp=latest_beneath("document", DOCUMENT_PREFIXES), segment=DOCUMENT_PREFIXES, lazy=DOCUMENTS_BY_PREFIX, scope=sc.with_chunks(DOCUMENTS_BY_PREFIX.members)), "Those whose names begin so, at most 5,000."),
        ("documents/by_prefix/<prefix>/<doc>", Link(to=_to("document"), segment=seg.Beginning(DOCUMENTS_BY_PREFIX)), "The document."),
        (D, Dir(stamp=OF_DOCUMENT, segment=seg.Everything(seg.DOCUMENT), scope=sc.document), "One document."),
        ("documents/<former name>", Link(to=_to("document"), segment=seg.Former(documents, "documents/")), "Link from a former name to the current place."),
        (D + "metadata.json", File(view=PageFile("document_metadata", documents)), "Title, date, origin, type, sizes, counts, front matter."),
        (D + "summary.txt", File(view=PageFile("document_summary", documents)), "Title, description, summary, what it speaks of."),
        (D + "structure.txt", File(view=PageFile("document_structure", documents)), "All headings, two spaces a level, with chunk and line."),
        (D + "text.txt", Link(to=vc.ToItem(), when=vd.text_is_link), "Its text: the stored file, where that is text."),
        (D + "text.txt", File(view=vd.DocumentText(run), when=vd.text_is_file(run)), "Its text, where it was taken out of something else."),
        (D + "original.<ext>", Link(to=vc.ToItem(), segment=seg.Original()), "The stored file."),
        (D + "chunks/", Dir(stamp=newest(documents, "document_chunks"), scope=sc.chunks_of_document), "Its chunks in order."),
        (D + "chunks/<0001>", Link(to=_to("chunk"), segment=seg.ChunksOf("")), "The chunk."),
        (D + "entities/", Dir(stamp=newest(documents, "document_entities"), scope=sc.members("documents", "document_entities", "entities")), "Entities that it speaks of."),
        (D + "entities/<slug>", Link(to=_to("entity", by_sub=True), segment=seg.Members("documents", "document_entities", seg.ENTITY)), "The entity."),
        (D + "topics/", Dir(stamp=newest(documents, "document_topics"), scope=sc.members("documents", "document_topics", "topics")), "Topics that it belongs to."),
        (D + "topics/<topic>", Link(to=_to("topic", by_sub=True), segment=seg.Members("documents", "document_topics", seg.TOPIC)), "The topic."),
        (D + "links/", Dir(stamp=newest(documents, "document_links"), scope=sc.documents_of("documents", "document_links")), "Documents that it links to; `missing_links` in metadata.json: what it links to and is not here."),
        (D + "links/<doc>", Link(to=_to("document", by_sub=True), segment=seg.Members("documents", "document_links", seg.DOCUMENT)), "The document."),
        (D + "backlinks/", Dir(stamp=newest(documents, "document_backlinks"), scope=sc.documents_of("documents", "document_backlinks")), "Documents that link to it."),
        (D + "backlinks/<doc>", Link(to=_to("document", by_sub=True), segment=seg.Members("documents", "document_backlinks", seg.DOCUMENT)), "The document."),
        ("facts/", Dir(stamp=latest("fact"), scope=sc.every("facts")), "Statements with their evidence."),
        ("facts/by_type/", Dir(stamp=latest("fact")), "The fact files."),
        ("facts/by_type/_counts.tsv", File(view=Small("fact-counts", vf.counts_tsv, latest("fact"))), "Types with their number of facts."),
        ("facts/by_type/<TYPE>/", Dir(stamp=vf.type_stamp, segment=seg.FACT_TYPES, scope=sc.facts_with_type), "Facts of a type."),
        ("facts/by_type/<TYPE>/<fact_id>.json", File(view=FACT_FILE, segment=seg.FactsOfType()), "A fact: subject, object or value, date, confidence, quote, chunk."),
        ("facts/by_date/", Dir(stamp=latest("fact")), "Facts by date."),
        ("facts/by_date/<YYYY>/", Dir(stamp=vc.year_stamp(FACTS_BY_DATE), segment=seg.Years(FACTS_BY_DATE), scope=sc.year(FACTS_BY_DATE)), "Of a year."),
        ("facts/by_date/<YYYY>/<MM>/", Dir(stamp=vc.month_stamp(FACTS_BY_DATE), segment=seg.Months(FACTS_BY_DATE), scope=sc.month(FACTS_BY_DATE)), "Of a month."),
        ("facts/by_date/<YYYY>/<MM>/<fact_id>.json", Link(to=_to("fact"), segment=seg.OfMonth(FACTS_BY_DATE)), "The fact."),
        ("facts/by_date/undated/", Dir(stamp=latest("fact"), scope=sc.undated(FACTS_BY_DATE)), "Without a date."),
        ("facts/by_date/undated/<fact_id>.json", Link(to=_to("fact"), segment=seg.OfMonth(FACTS_BY_DATE, undated=True)), "The fact."),
        ("facts/conflicts/", Dir(stamp=latest("fact"), scope=sc.conflicts), "Facts that cannot both be true."),
        ("facts/conflicts/_index.tsv", File(view=Rendered("conflicts.tsv", vf.conflicts_tsv, latest("fact"))), "All of them side by side: entity, what each says, when, document, quote."),
        ("facts/conflicts/<TYPE>/", Dir(stamp=latest("fact"), segment=seg.CONFLICT_TYPES, scope=sc.conflicts_of_type), "Of a type."),
        ("facts/conflicts/<TYPE>/<Entity_Slug>.jsonl", File(view=vf.CONFLICTS, segment=seg.Conflicts()), "What is said of an entity, one fact a line."),
        ("context/", Dir(stamp=latest("file")), "The stored files that everything else comes from."),
        ("context/<drive>/", Dir(stamp=vc.directory_stamp, segment=seg.Drives(), mode=vc.directory_mode, atime=vc.directory_atime, scope=sc.context), "agent, disk, url …"),
        ("context/<drive>/<path>/", Dir(stamp=vc.directory_stamp, segment=seg.ContextDirectories(), like="context/<drive>/<path>/", mode=vc.directory_mode, atime=vc.directory_atime, scope=sc.context), "A directory of stored files, to any depth."),
        ("context/<drive>/<path>", File(view=vd.ItemFile(run), stored=True, segment=seg.ContextFiles(), mode=vc.mode, atime=vc.atime), "A stored file, or a symbolic link."),
        (WORKSPACE, Submounted(stamp=published), "A place to work: all that POSIX knows, kept in agent.db, not indexed."),
        ("@history/", Area(stamp=published, inside=("context/<drive>/", "context/<drive>/<path>/"), hidden=True, lazy=vh.Listing(run)), "In a directory of context/, not listed: what its files held before they were written over or removed."),
        ("@history/<name>/", Dir(stamp=published, lazy=vh.Listing(run), segment=HistoryNames(run), like="@history/<name>/"), "The versions of a file, the oldest first: 1, 2, 3 …; of a directory that is gone, the names in it."),
        ("@history/<name>/<n>", File(view=versions, segment=Versions(run), mode=versions.mode, passing=vh.is_passing), "What it held, dated when that was written; `cp` it back to undo."),
        ("@brief/", Area(stamp=published, inside=EVERYWHERE), "One text to read first on a question, in every directory; see _usage.txt."),
        ("@brief/_usage.txt", File(view=vs.Constant(qb.USAGE)), "What it holds and how to quote."),
        ("@brief/<option>/", Dir(stamp=published, segment=ask.words("@brief/<option>/", qb.is_brief_option)), "limit=20000: characters, before the question."),
        ("@brief/<question>", ask.file(segment=ask.words("@brief/<question>", qb.is_question)), "Whom it names, the facts that fit, the best passages whole, a line on the next ones."),
        ("@brief/<option>/<question>", ask.file(segment=ask.words("@brief/<option>/<question>")), "The same, with the length that the option sets."),
        ("@search/", Area(stamp=published, inside=EVERYWHERE), "Questions as paths, in every directory; see _usage.txt."),
        ("@search/_usage.txt", File(view=vs.Constant(q.USAGE)), "Kinds, options and how to quote."),
        ("@search/text/", Dir(stamp=published), "text/<query> is the list of hits in one step."),
        ("@search/text/<option>/", Dir(stamp=published, segment=ask.words("@search/text/<option>/", q.is_search_option), like="@search/text/<option>/"), "limit=100, from=2019-10 …, before the query."),
        ("@search/text/<query>", ask.file(segment=ask.words("@search/text/<query>", q.is_search_text)), "path: [score] title: snippet, one line a hit."),
        ("@search/<kind>/", Dir(stamp=published, segment=ask.words("@search/<kind>/", q.is_search_kind, q.KIND_NAMES, q.no_search_kind)), "semantic, keyword, entities, facts, chunks, topics."),
        ("@search/<kind>/<option>/", Dir(stamp=published, segment=ask.words("@search/<kind>/<option>/", q.is_search_option), like="@search/<kind>/<option>/"), "limit=100, from=2019-10 …, before the query."),
        ("@search/<kind>/<query>/", Dir(stamp=published, segment=ask.words("@search/<kind>/<query>/", q.is_search_text)), "Runs when looked into."),
        ("@search/<kind>/<query>/results.jsonl", ask.file("results.jsonl", when=ask.asks_others), "Hits with path, score, snippet, lines, origin, legs."),
        ("@search/<kind>/<query>/matches.jsonl", ask.file("results.jsonl", when=ask.asks_entities), "The same for entities."),
        ("@search/<kind>/<query>/results.txt", ask.file(), "path: [score] title: snippet, one line a hit."),
        ("@search/<kind>/<query>/follow.jsonl", ask.file("follow.jsonl"), "The hits, then new ones as they are indexed: tail -n +1 -f."),
        ("@search/<kind>/<query>/top/", Dir(stamp=published, lazy=ask.result), "Links to the hits, best first."),
        ("@search/<kind>/<query>/top/<hit>", ask.links(), "001_<name>: the hit."),
        ("@grep/", Area(stamp=published, inside=EVERYWHERE), "Exact lines, in every directory: those of its passages, each once; see _usage.txt."),
        ("@grep/_usage.txt", File(view=vs.Constant(qg.USAGE)), "Flags and how to quote."),
        ("@grep/<flags>/", Dir(stamp=published, segment=ask.words("@grep/<flags>/", qe.are_flags)), "-i -F -w -l -r -1, before the pattern; -r is what grep -rnE finds beneath."),
        ("@grep/<pattern>", ask.file(segment=ask.words("@grep/<pattern>", qe.is_pattern)), "chunks/by_document/…/content.txt:12:the line."),
        ("@grep/<flags>/<pattern>", ask.file(segment=ask.words("@grep/<flags>/<pattern>")), "The same with flags."),
        ("@find/", Area(stamp=published, inside=EVERYWHERE), "Things by their properties, in every directory; see _usage.txt."),
        ("@find/_usage.txt", File(view=vs.Constant(qf.USAGE)), "Predicates."),
        ("@find/<predicate>/", Dir(stamp=published, lazy=ask.result, segment=ask.words("@find/<predicate>/", qf.is_predicate, unknown=qf.no_predicate), like="@find/<predicate>/"), "type=Organization/min_facts=10 …: all must hold."),
        ("@find/<predicate>/_paths.txt", ask.file("_paths.txt", hidden=True), "Where they lead, one path a line; not listed."),
        ("@find/<predicate>/<name>", ask.links(), "What satisfies them."),
        ("@near/", Area(stamp=published, inside=(E,), hidden=True), "In an entity's directory, not listed: who is near it; see _usage.txt."),
        ("@near/_usage.txt", File(view=vs.Constant(qp.NEAR_USAGE)), "What near means."),
        ("@near/<hops>/", Dir(stamp=published, lazy=ask.result, segment=ask.words("@near/<hops>/", qe.are_hops, unknown=qe.no_hops)), "1 to 4: entities within so many facts, links or shared passages, nearest and best bound first."),
        ("@near/<hops>/near.txt", ask.file("near.txt"), "One line an entity: hops, score, name, through what."),
        ("@near/<hops>/near.jsonl", ask.file("near.jsonl"), "The same with all fields."),
        ("@near/<hops>/near.svg", File(view=draw("near", pic.near_graph(run), published), hidden=True), "Not listed: the nearest as a picture."),
        ("@near/<hops>/<entity>", ask.links(), "001_<slug>: the entity."),
        ("@path/", Area(stamp=published, inside=()), "How two entities hang together; see _usage.txt."),
        ("@path/_usage.txt", File(view=vs.Constant(qp.PATH_USAGE)), "How to ask."),
        ("@path/<A>/", Dir(stamp=published, segment=ask.words("@path/<A>/", qe.is_entity, unknown=qe.no_entity)), "From this entity …"),
        ("@path/<A>/<B>/", Dir(stamp=published, lazy=ask.result, segment=ask.words("@path/<A>/<B>/", qe.is_entity, unknown=qe.no_entity)), "… to this one: the shortest chains of facts, of up to 4; by links and shared passages where there is none."),
        ("@path/<A>/<B>/path.txt", ask.file("path.txt"), "One chain a line, and its steps beneath; a sentence where there is none."),
        ("@path/<A>/<B>/path.jsonl", ask.file("path.jsonl"), "One object a chain."),
        ("@path/<A>/<B>/path.svg", File(view=draw("chains", pic.chain_graph(run), published), hidden=True), "Not listed: the best chains as a picture."),
        ("@path/<A>/<B>/<step>", ask.links(), "The entities and steps of the best chain, in order."),
        ("@sql/", Area(stamp=published, inside=()), "Questions in SQL, read-only; see _usage.txt."),
        ("@sql/_usage.txt", File(view=vs.Constant(qs.USAGE)), "Limits and how to quote."),
        ("@sql/_schema.sql", File(view=vs.Constant(qs.schema())), "The views and what their columns mean."),
        ("@sql/csv/", Dir(stamp=published), "csv/<select> is CSV."),
        ("@sql/csv/<select>", ask.file(segment=ask.words("@sql/csv/<select>")), "The rows as CSV."),
        ("@sql/<select>", ask.file(segment=ask.words("@sql/<select>")), "The rows, one JSON object a line."),
        ("@changes/", Area(stamp=published, inside=()), "What came, changed and went between two dates; see _usage.txt."),
        ("@changes/_usage.txt", File(view=vs.Constant(qc.USAGE)), "How to write dates."),
        ("@changes/<from>..<to>/", Dir(stamp=published, lazy=ask.result, segment=ask.words("@changes/<from>..<to>/", qc.is_span, unknown=qc.no_span)), "2026-11-01..2026-11-24: dates on which kgfs read something, not dates in the text."),
        ("@changes/<from>..<to>/summary.txt", ask.file("summary.txt"), "The numbers, and the first of each."),
        ("@changes/<from>..<to>/documents.tsv", ask.file("documents.tsv"), "what, at, document, title, origin, path; earliest first."),
        ("@changes/<from>..<to>/entities.tsv", ask.file("entities.tsv"), "what, at, name, type, into, facts, path; those that came or went into another."),
        ("@changes/<from>..<to>/facts.jsonl", ask.file("facts.jsonl"), "Facts that were read or changed, latest first."),
        ("@stat", ask.file(inside=EVERYWHERE), "In every directory, not listed: what it is, and counts."),
        (KEY_VALUES, Submounted(stamp=published), "One file a key; its bytes are the JSON value, and what is no JSON is refused."),
        (SESSIONS, Submounted(stamp=published), "One directory a session: the whole tree, all writable, to be committed or discarded (`kgfs session`)."),
        ("@audit/", Area(stamp=published), "What was done in the store, by whom, when and with what result."),
        ("@audit/tool_calls.jsonl", File(view=va.CallLines(run), passing=va.grows), "All calls, one a line, as they were recorded: `tail -f` shows new ones within a second or two."),
        ("@audit/stats.tsv", File(view=va.CallStats(run)), "name, calls, success, error, average and longest milliseconds, last; most calls first."),
        ("@audit/by_name/", Dir(stamp=published, lazy=va.CallLines(run)), "The same lines by what was called."),
        ("@audit/by_name/<name>.jsonl", File(view=va.CallLines(run, BY_NAME), segment=va.CallNames(run, BY_NAME), passing=va.grows), "write, search, @grep …; a / in a name is %2F."),
        ("@audit/by_day/", Dir(stamp=published, lazy=va.CallLines(run)), "The same lines by the day on which the call began, in UTC."),
        ("@audit/by_day/<YYYY-MM-DD>.jsonl", File(view=va.CallLines(run, BY_DAY), segment=va.CallNames(run, BY_DAY), passing=va.grows), "Of a day."),
        ("@agent/", Area(stamp=published, lazy=vr.RunFile(run)), "Runs of `kgfs agent`, earliest first."),
        ("@agent/<run>/", Dir(stamp=published, segment=vr.RunNames(run)), "2026-11-24_091502_which-labs: one question or conversation."),
        ("@agent/<run>/transcript.md", File(view=vr.RunFile(run, TRANSCRIPT), passing=vr.grows), "All that was said and called, as it happens."),
        ("@agent/<run>/answer.md", File(view=vr.RunFile(run, ANSWER), passing=vr.grows), "The last answer; empty until there is one."),
        ("@agent/<run>/citations.jsonl", File(view=vr.RunFile(run, CITATIONS), passing=vr.grows), "Its citations: path, quote, whether each was found."),
        ("@agent/<run>/cost.json", File(view=vr.RunFile(run, COST), passing=vr.grows), "Model, turns, tokens, dollars, seconds, why it ended."),
        ("@agent/<run>/messages.jsonl", File(view=vr.RunFile(run, MESSAGES), passing=vr.grows), "The messages of the model's API, from which --resume goes on."),
        ("@web/", Area(stamp=published, hidden=True), "The graph as a website: `firefox @web/index.html`, or copy it and publish it. Not listed."),
        ("@web/index.html", File(view=page(lists.home, latest()), late=True), "The first page."),
        ("@web/map.svg", File(view=beside("map", pic.topic_map, drawings.of_topics, "", latest("topic")), late=True), "The topics as a picture."),
        ("@web/assets/", Dir(stamp=published), "What pages share."),
        ("@web/assets/<name>", File(view=vw.AssetFile(published), segment=ws.SiteAssets()), "Style, scripts, and the licence of the one that is not ours."),
        ("@web/entities/", Dir(stamp=latest("entity")), "Pages of entities."),
        ("@web/entities/index.html", File(view=page(lists.types, latest("entity")), late=True), "Types of entities."),
        ("@web/entities/<types>/", Dir(stamp=ve.type_stamp, segment=seg.ENTITY_TYPES), "Of a type."),
        ("@web/entities/<types>/<list>.html", File(view=page(lists.entities, ve.type_stamp), late=True, segment=ws.ListPages(lambda s, node: len(s.by_type.get(node.id, ())))), "index.html, index,2.html …: 150 a page, by name."),
        ("@web/entities/<types>/<Entity_Slug>.html", File(view=page(entity_page, OF_ENTITY), late=True, segment=ws.SitePages(seg.Entities(), entities, addresses.entity_parts)), "The page of an entity; <Entity_Slug>,2.html goes on with its facts."),
        ("@web/entities/<types>/<Entity_Slug>,graph.svg", File(view=beside("graph", pic.entity_graph, drawings.of_entity, "../../", OF_ENTITY), late=True, segment=ws.SitePictures(seg.Entities(), entities, drawings.graphs)), "What is near it; where facts bind it to something."),
        ("@web/entities/<types>/<Entity_Slug>,timeline.svg", File(view=beside("timeline", pic.timeline, drawings.of_entity, "../../", OF_ENTITY), late=True, segment=ws.SitePictures(seg.Entities(), entities, drawings.timelines)), "Its dated facts; where there are two."),
        ("@web/entities/<types>/<Entity_Slug>,series,<indicator>.svg", File(view=beside("series", pic.series, drawings.of_entity, "../../", OF_ENTITY), late=True, segment=ws.SitePictures(seg.Entities(), entities, drawings.figures)), "Figures over time."),
        ("@web/topics/", Dir(stamp=latest("topic")), "Pages of topics."),
        ("@web/topics/<list>.html", File(view=page(lists.topics, latest("topic")), late=True, segment=ws.ListPages(lambda s, node: len(s.topics))), "index.html, index,2.html …: each topic before its subtopics."),
        ("@web/topics/<topic>.html", File(view=page(topic_page, OF_TOPIC), late=True, segment=ws.SitePages(seg.Everything(seg.TOPIC), topics, addresses.topic_parts)), "The page of a topic."),
        ("@web/topics/<topic>,graph.svg", File(view=beside("topic", pic.topic_graph, drawings.of_topic, "../", OF_TOPIC), late=True, segment=ws.SitePictures(seg.Everything(seg.TOPIC), topics, drawings.topic_graphs)), "What belongs to it."),
        ("@web/documents/", Dir(stamp=latest("document")), "Pages of documents."),
        ("@web/documents/<list>.html", File(view=page(lists.documents, latest("document")), late=True, segment=ws.ListPages(lambda s, node: len(s.documents))), "index.html, index,2.html …: by name."),
        ("@web/documents/<doc>.html", File(view=page(document_page, OF_DOCUMENT), late=True, segment=ws.SitePages(seg.Everything(seg.DOCUMENT), documents, lambda s, index: len(addresses.document_parts(s, index)))), "Its passages, #chunk_0001 …; <doc>,2.html goes on with a long one."),
        ("@web/facts/", Dir(stamp=latest("fact")), "Pages of facts."),
        ("@web/facts/index.html", File(view=page(lists.fact_types, latest("fact")), late=True), "Types of facts."),
        ("@web/facts/<TYPE>/", Dir(stamp=vf.type_stamp, segment=seg.FACT_TYPES), "Of a type."),
        ("@web/facts/<TYPE>/<list>.html", File(view=page(lists.facts, vf.type_stamp), late=True, segment=ws.ListPages(lambda s, node: len(s.by_fact_type.get(node.id, ())))), "index.html, index,2.html …: the latest first."),
        ("@web/facts/<TYPE>/<fact_id>.html", File(view=page(fact_page, dated(facts)), late=True, segment=ws.SitePages(seg.FactsOfType(), facts)), "A fact; its quote is marked in its passage."),
        ("@status/", Area(stamp=published), "How this mount is."),
        ("@status/status.json", File(view=vs.Volatile(run, vs.status_json)), "Generation, counts, index coverage, health."),
        ("@status/merge_candidates.jsonl", File(view=Rendered("merge-candidates", ve.merge_candidates_jsonl, published)), "Pairs of entities that may be one, likeliest first, each with the command that joins them."),
        ("@status/errors.jsonl", File(view=vs.Volatile(run, lambda s, source, node: source.errors())), "What went wrong, oldest first."),
        ("@status/last_error.txt", File(view=vs.Volatile(run, vs.last_error_txt)), "Your own last error, one sentence and the next step."),
        ("@status/ingest.svg", File(view=IngestPicture(run), hidden=True), "Not listed: how far reading is, as a picture."),
        ("@status/metrics.prom", File(view=vs.Volatile(run, lambda s, source, node: source.metrics()), hidden=True), "Not listed: requests, latencies, queue, caches, memory, for Prometheus."),
        ("@status/jobs/", Dir(stamp=published), "Runs of add, rm …"),
        ("@status/jobs/<id>.json", File(view=vs.Volatile(run, vs.job_json), segment=vs.Jobs(run)), "What it does and how far it is."),
        (".vscode/", Dir(stamp=published, hidden=True), "For editors; not listed."),
        (".vscode/settings.json", File(view=vs.Constant(vs.NEIGHBOUR_FILES["settings.json"])), "No following of links, no watching."),
        ("CACHEDIR.TAG", File(view=vs.Constant(vs.NEIGHBOUR_FILES["CACHEDIR.TAG"]), hidden=True), "For backup programs; not listed."),
        (".nomedia", File(view=vs.Constant(b""), hidden=True), "For media scanners; not listed."),
        (".trackerignore", File(view=vs.Constant(b""), hidden=True), "For desktop search; not listed."),
    )  # fmt: skip


def table(run: Runtime) -> Table:
    """The table compiled; without links for ``--no-links``."""
    return compile_rows(rows(run), run.links)
