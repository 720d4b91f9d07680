"""The words that say what stands beside a name: kin, firms, works, posts, and what the names at their ends are like.

Used by ``ties`` and ``open_relations``; no rules here.
"""

# A list of words is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re

KIN = {
    **dict.fromkeys(("husband", "wife", "spouse", "widow", "widower"), "SPOUSE_OF"),
    **dict.fromkeys(("son", "daughter", "stepson", "stepdaughter"), "CHILD_OF"),
    **dict.fromkeys(("father", "mother"), "<CHILD_OF"),
    **dict.fromkeys(("brother", "sister"), "SIBLING_OF"),
    **dict.fromkeys(("uncle", "aunt", "nephew", "niece", "cousin", "grandson", "granddaughter", "grandfather", "grandmother"), "RELATIVE_OF"),
    **dict.fromkeys((f"great-{one}" for one in ("grandson", "granddaughter", "grandfather", "grandmother", "uncle", "aunt", "nephew", "niece")), "RELATIVE_OF"),
    **dict.fromkeys((f"{one}-in-law" for one in ("brother", "sister", "father", "mother", "son", "daughter")), "RELATIVE_OF"),
}  # fmt: skip
TEACHING = {
    **dict.fromkeys(("pupil", "disciple", "student", "protégé", "protege"), "<TAUGHT"),
    **dict.fromkeys(("tutor", "teacher", "mentor"), "TAUGHT"),
}  # fmt: skip
"""What somebody is to whom he learns from, or teaches."""
FIRM = {
    **dict.fromkeys(("subsidiary", "unit", "division", "arm", "subsidiaries"), "SUBSIDIARY_OF"),
    **dict.fromkeys(("parent", "parent company", "parent organization", "parent organisation", "parent agency", "holding company"), "<SUBSIDIARY_OF"),
    "owner": "OWNS",
}  # fmt: skip
WRITTEN = (
    "novel book play poem memoir biography autobiography essay story novella article paper treatise screenplay".split()
)
SUNG = "album song single track EP".split()
WORKS = {
    **dict.fromkeys(WRITTEN, "WROTE"), **dict.fromkeys(("film", "movie", "documentary"), "DIRECTED"), **dict.fromkeys(SUNG, "PERFORMED"),
    **dict.fromkeys(("painting", "sculpture", "comic", "cartoon"), "CREATED"),
    **dict.fromkeys(("opera", "symphony", "ballet", "musical", "concerto", "sonata", "score"), "COMPOSED"),
}  # fmt: skip
"""What a work is, to what its maker did."""
MADE = {
    "written": "WROTE", "authored": "WROTE", "directed": "DIRECTED", "composed": "COMPOSED", "produced": "PRODUCED", "designed": "DESIGNED",
    "developed": "DEVELOPED", "published": "PUBLISHED", "illustrated": "ILLUSTRATED", "translated": "TRANSLATED", "edited": "EDITED",
    "performed": "PERFORMED", "recorded": "PERFORMED", "painted": "CREATED", "created": "CREATED", "released": "RELEASED",
}  # fmt: skip
"""A participle before ``by``, to its type."""

POSTS = {
    **dict.fromkeys(("maintainer", "lead maintainer", "core maintainer", "co-maintainer"), "MAINTAINS"),
    **dict.fromkeys(("chair", "co-chair", "chairperson", "vice chair", "lead", "co-lead", "tech lead", "technical lead", "leader"), "LEADS"),
    **dict.fromkeys(("creator", "co-creator"), "CREATED"), "member": "MEMBER_OF", "founding member": "MEMBER_OF",
    **dict.fromkeys(("steering committee member", "core team member"), "MEMBER_OF"), "sponsor": "SPONSORS",
}  # fmt: skip
"""What somebody is of a body or a project, to the type."""

AWARD = re.compile(
    r"\b(?:Prize|Award|Awards|Medal|Oscar|Grammy|Emmy|Tony|BAFTA|Fellowship|Cup|Trophy|Order of|Cross|Star|Pulitzer|Nobel|Honou?rs?|Booker|Championship|Scholarship)\b"
)
CUT_AWARD = re.compile(r",|^(?:Memorial |Medal |Award |Prize )(?:for |of |Award|Prize|in )|^(?:Award|Prize|Medal)s?$")
EVENT = re.compile(
    r"\b(?:Meeting|Conference|Summit|Games|Olympics|Festival|Battle|Cup|Championships?|Forum|Fair|Expo|Exposition|Congress|Convention|Symposium|Workshop|"
    r"Tournament|Exhibition|Awards|Marathon|Race|Open|Grand Prix|Con|Biennale|Hackathon)\b"
)
SCHOOL = re.compile(
    r"\b(?:University|College|School|Institute|Academy|Conservatory|Seminary|Polytechnic|MIT)\b(?! (?:Press|Award))"
)
DEGREE = re.compile(r"^(?:Ph|M|B|D|J|LL)\.? ?[A-Z]|Bachelor|Master|Doctor|Diploma")

DEGREE_WORD = (
    r"(?:degrees?|doctorate|diploma|Ph\.?D\.?|[Bb]achelor[^ ]*|[Mm]aster[^ ]*|MBA|M\.?[AS]\.?|B\.?[AS]\.?|DPhil)"
)
"""What a degree is called, as a pattern."""

NOUNS = {
    **dict.fromkeys("part component division unit branch department section module subset element subsystem chapter team office "
                    "feature program programme initiative project committee subcommittee".split(), "PART_OF"),
    "extension": "EXTENDS", "subsidiary": "SUBSIDIARY_OF", "capital": "CAPITAL_OF", "member": "MEMBER_OF", "alias": "ALIAS_OF", "synonym": "ALIAS_OF",
    "replacement": "REPLACES", "successor": "REPLACES", "outgrowth": "EVOLVED_FROM", "offshoot": "EVOLVED_FROM", "spinoff": "EVOLVED_FROM", "son": "CHILD_OF", "daughter": "CHILD_OF", "sibling": "SIBLING_OF",
    "brother": "SIBLING_OF", "sister": "SIBLING_OF", "wife": "SPOUSE_OF", "husband": "SPOUSE_OF",
}  # fmt: skip
"""What something is said to be of another, to the type: ``is a part of``."""
ADJECTIVES = {
    "compatible with": "COMPATIBLE_WITH", "incompatible with": "INCOMPATIBLE_WITH", "available in": "AVAILABLE_IN",
    "available on": "AVAILABLE_IN", "available through": "AVAILABLE_IN", "available from": "AVAILABLE_IN",
    "responsible for": "RESPONSIBLE_FOR", "dependent on": "REQUIRES", "equivalent to": "EQUIVALENT_TO",
    "identical to": "EQUIVALENT_TO", "built into": "PART_OF", "included in": "PART_OF", "subject to": "SUBJECT_TO", "accessible through": "AVAILABLE_IN",
    "accessible via": "AVAILABLE_IN", "accessible from": "AVAILABLE_IN", "compliant with": "COMPLIES_WITH", "exempt from": "EXEMPT_FROM",
    "available via": "AVAILABLE_IN",
}  # fmt: skip
