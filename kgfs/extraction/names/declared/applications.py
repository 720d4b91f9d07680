"""Pages on which something applies, or is proposed: *Lampd Sandbox Stage Application*, ``lampd_sandbox_stage.md``.

Used by ``pages``; pure. Such a page is about the project or the group that it is for, and what it lists (maintainers,
leads, sponsors) is that one's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from kgfs.extraction.names import capitals
from kgfs.extraction.names.declared.titles import title_name
from kgfs.extraction.names.wordlists import words
from kgfs.model import EntityCandidate, ParsedDocument

_STAGES = r"(?:archival|archived|experimental|graduat(?:ed|ing|ion)|impact|incubat(?:ed|ing|ion|or)|sandbox)"
_ASKS = r"(?:application|due diligence|nomination|onboarding application|proposal)"
_OF_STAGE = re.compile(
    rf"(?i)(?P<what>\S.*?)[\s_:–—-]+(?:(?:for|at|to)[\s_-]+)?(?:(?:the[\s_-]+)?{_STAGES}(?:[\s_-]+(?:stage|level|project|status))?"
    rf"(?:[\s_-]+{_ASKS})?|(?:project|working[\s_-]+group|membership)[\s_-]+{_ASKS})"
)
_FOR = re.compile(rf"(?i){_ASKS} (?:for|of) (?P<what>\S.*?)(?: (?:at|to|for|as an?) (?:the )?(?:{_STAGES}|project).*)?")
_NOBODY = frozenset(
    "a acme an any archived creating example group incubation level lifecycle list name new one our project projects "
    "sandbox sig sigs stage subproject template templates the title wg wgs working your".split()
)
"""Words that say of what sort something is, or stand for its name in a template."""
_SORT = re.compile(r" (?:TI|technical initiative|project)$", re.I)
"""Behind a name: of what sort it is."""
_MOST_WORDS = 5
_SMALL = 3
"""Letters of the words that names have in small letters."""
_GROUP = re.compile(r"(?i)\b(?:working group|special interest group|WGs?|SIGs?)\b")


def applied_for(document: ParsedDocument) -> EntityCandidate | None:
    """The project or the group for which a page applies; ``None`` for any other page, and for a template."""
    title, stem = " ".join(document.title.split()), PurePosixPath(document.path).stem
    for given in dict.fromkeys((title, stem)):
        found = _FOR.fullmatch(given) or _OF_STAGE.fullmatch(given)
        if found is None:
            continue
        what = " ".join(re.sub(r"_", " ", found["what"]).split()).strip(" -–—:")
        what = _SORT.sub("", what)
        parts = what.split()
        if not parts or len(parts) > _MOST_WORDS or "name" in what.lower().split() or not title_name(what):
            continue
        if (
            all(part.lower() in _NOBODY for part in parts)
            or parts[0].endswith("ing")
            or parts[-1] in words.PREPOSITIONS | {"and", "or"}
            or (given != stem and _has_small(parts[1:]))
        ):
            continue
        text = (document.text or "").replace("__", " ").replace("**", " ")
        name = _as_written(what, text, spelled=given == title and title != stem)
        type_ = _type(name, text)
        if name and (type_ or not name.istitle()):
            aliases = [title] if title not in (stem, name) and name in title else []
            return EntityCandidate(
                name=name, type=type_, description=_lead(name, document.lead), confidence=1.0, declared=True,
                aliases=aliases,
            )  # fmt: skip
    return None


def _has_small(parts: Sequence[str]) -> bool:
    """Whether a word is in small letters that is in names none: *Product assets for early*."""
    return any(part.islower() and len(part) > _SMALL for part in parts)


def _as_written(what: str, text: str, *, spelled: bool) -> str:
    """A name as the text mostly writes it; empty where it never does and its title does not spell it as one."""
    loose = re.escape(what).replace(r"\ ", r"[ /_-]").replace(r"\-", r"[ -]")
    forms = Counter(
        re.sub(r"[\s_]+", " ", found)
        for found in re.findall(rf"(?i)(?<![\w@/.-]){loose}(?![\w@]|[/.-]\w)", re.sub(r"https?://\S+", " ", text))
    )
    if forms.total() > spelled:
        form = max(forms, key=lambda one: (forms[one], one))
        if (" " not in form or not form.islower()) and "/" not in form:
            return form
    capital = what != what.lower() and not _has_small(what.split())
    return what if capital and (spelled or capitals.is_working_group(what)) else ""


def _type(name: str, text: str) -> str:
    if _GROUP.search(name) or name.rpartition(" ")[2] in words.ORGANIZATION_HEADS:
        return "Organization"
    head = text[:1500].lower()
    groups = len(re.findall(r"\b(?:working group|wg|special interest group|sig)\b", head))
    return "Product" if head.count("project") > groups else "Organization" if groups > 1 else ""


def _lead(name: str, lead: str) -> str:
    """A page's first sentence, where it is about what the page is for."""
    said = (
        rf"(?:The )?{re.escape(name)}(?:['’]s (?:aim|goal|mission|purpose) is| (?:aims|enables|helps|is|provides|was)) "
    )
    return lead if re.match(said, lead, re.I) else ""
