"""What stands beside a name and says of what other name it is: ``Acme's subsidiary Lumen``, ``Ann Lee's novel The Quay``,
``Ann Lee, the daughter of Bob Ray``, ``Lumen, formerly Tarn Systems``; and short clauses of posts, prizes and sites.

Used by the fact reader where the tagger gives every name a type; pure. Like ``proximity`` it reads a sentence whose names are
marks with the letters of their types, ``U`` where nothing shows one: who *joined* such a name joined an organization. Here the words between two names say what one is to the other, so each word has its
type in a table.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgfs.extraction.facts.marks import CLOSE, OPEN
from kgfs.extraction.facts.sentences.proximity import OFFICE, ROLE
from kgfs.extraction.facts.sentences.relations import PatternFact, is_told_of_nothing, is_unreal
from kgfs.extraction.facts.tie_words import (
    AWARD,
    CUT_AWARD,
    DEGREE,
    DEGREE_WORD,
    EVENT,
    FIRM,
    KIN,
    MADE,
    POSTS,
    SCHOOL,
    TEACHING,
    WORKS,
)

_WORD = rf"(?:(?!and |or |but |by |to |of |said |was |were |is )[^,;:()\s{OPEN}{CLOSE}]+ )"
_OTHERS = rf"(?:(?!{OPEN}P)[^;:])"
"""Anything in a clause, but another person."""
_OWN = rf"(?:(?!{OPEN}P|whose |father|mother|brother|sister|husband|wife|\bson |daughter)[^;:])"
"""Anything in a clause that is about nobody else."""
_TITLED = (
    rf"(?: \([^()]{{1,40}}\))?(?:,|:| [-–—]| is| was|, who is|, who was|,?(?: who)? (?:has |had |later |then |subsequently )*(?:became|become|"
    rf"was (?:appointed|named|elected|made|hired)(?: as)?|(?:serves|served|works|worked|started|began) as))"
    rf"(?: now| currently| then)?(?: the| an?| our)? "
    rf"(?P<title>(?:(?:[A-Z][\w&/.'’-]*,?|of|and|for|the|&|{OPEN}[UXW]\d+{CLOSE}) ){{1,9}}?)"
)
"""A post with capitals behind a name; the tagger takes such a one for a name, too."""
_TO_POST = r"(?: \([^()]{1,40}\))?(?:,| is| was| had been| has been|,? who is|,? who was| became| as)(?: (?:now|then|once|formerly|later|also|the|an?))* "
"""Between somebody and what he is."""
_ON_STAFF = (
    rf"{_OWN}{{0,100}}?\b(?:joined|(?:is|was|were|been) on|(?:,|then|now|is|was) an? member of) the (?:[a-z]+ )?"
)
_SCHOLAR = (
    rf"(?:{ROLE}|(?i:scholar|researcher|scientist|lead|member|alum(?:na|nus)|[a-z]{{3,}}(?:ologist|icist|ician|ist)))"
)
"""What somebody of an organization is, in small letters or not."""
_SUM = r"(?:(?:over |more than |about |around |nearly |some |up to )?(?:\\?[$€£]|USD |EUR )?\d[\d.,]*(?: ?(?:million|billion|thousand|[MBKk]))?(?: dollars| euros)? )"
_HAVE = r"(?:has |have |had )?(?:also |later |subsequently |then |recently |previously |jointly |again |first |twice )?"
_CUT = r"(?!['’]s?\b|-)"
"""Behind a name that is the end of a fact, not the owner of one."""


def _mark(letters: str, group: str) -> str:
    return rf"{OPEN}[{letters}](?P<{group}>\d+){CLOSE}"


class _Pattern(NamedTuple):
    """A phrase between two names, and the type that it states; where ``what`` is in it, the word there says the type."""

    rule: str
    expression: re.Pattern[str]
    types: dict[str, str]
    """Word to type, with ``<`` before it where subject and object change places; the word ``""`` is that of all others."""
    confidence: float = 0.75
    dated: bool = False


_LIFE = r"(?:late |former |future |first |second |third |fourth |youngest |younger |older |elder |eldest |oldest |only |then |adopted |half-|twin |eventual )*"


def _any(words: dict[str, str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_KIN_WORD, _FIRM_WORD, _WORK_WORD, _MADE_WORD = (rf"(?P<what>{_any(one)})" for one in (KIN, FIRM, WORKS, MADE))
_PATTERNS = (
    _Pattern("kin_of", re.compile(rf"{_mark('P', 'o')}['’]s? {_LIFE}{_KIN_WORD},? {_mark('P', 's')}{_CUT}"), KIN),
    _Pattern(
        "kin",
        re.compile(rf"{_mark('P', 's')}(?: \([^()]{{1,60}}\))?,? (?:is |was |who was |who is )?(?:the |an? |his |her )?{_LIFE}(?:{_WORD})?{_KIN_WORD} of (?:the )?(?:[a-z]+ )?{_mark('P', 'o')}{_CUT}"),
        KIN,
    ),
    _Pattern(
        "kin_too",
        re.compile(rf"{_mark('P', 's')}(?:,| is| was),? (?:the |an? )?{_LIFE}(?:{_any(KIN)}) of (?:the )?(?:[A-Z][\w.’'-]* ){{0,4}}(?:{OPEN}P\d+{CLOSE})?,? and (?:the |an? )?{_LIFE}{_KIN_WORD} of (?:the )?{_mark('P', 'o')}{_CUT}"),
        KIN,
    ),
    _Pattern(
        "married_both",
        re.compile(rf"{_mark('P', 's')} and (?:(?:Miss|Mrs\.|Mr\.|Dr\.|Lady|Sir) )?{_mark('P', 'o')} (?:were|are|got|had been) (?:later |then |subsequently |quietly |secretly )*married\b(?! to\b)"),
        {"": "SPOUSE_OF"}, dated=True,
    ),
    _Pattern(
        "named_after",
        re.compile(rf"{_mark('LFOWE', 's')}(?: \([^()]{{1,40}}\))?(?:,? (?:(?:is|was|were|are|being|which was|which is|it is said,?) )?(?:(?:also|later|originally|first|thus|so|probably) )*(?:re)?named (?:after|for|in honou?r of)| takes its name from| took its name from| derives its name from|,? taking its name from) (?:the |that |one )?(?:(?:[a-z]+|General|Colonel|Captain|Governor|President|King|Queen|Sir|Lord) ){{0,3}}?{_mark('PLOEW', 'o')}{_CUT}"),
        {"": "NAMED_AFTER"},
    ),
    _Pattern(
        "fought",
        re.compile(rf"{_mark('P', 's')},? (?:who )?(?:had |also |later )*(?:fought|served|was (?:killed|wounded)|distinguished himself) (?:[a-z]+ ){{0,3}}?(?:(?:[A-Z][a-z]+ )?{OPEN}P\d+{CLOSE} )?(?:at|in|during) (?:the )?(?:battle of )?{_mark('E', 'o')}{_CUT}"),
        {"": "FOUGHT_IN"},
    ),
    _Pattern(
        "taught",
        re.compile(rf"{_mark('P', 's')}(?: \([^()]{{1,60}}\))?,? (?:is |was |who was |who is |became |later )?(?:the |an? |his |her )?{_LIFE}(?:{_WORD})?(?P<what>{_any(TEACHING)}) of (?:the )?(?:[a-z]+ )?{_mark('P', 'o')}{_CUT}"),
        TEACHING,
    ),
    _Pattern("firm_of", re.compile(rf"{_mark('O', 'o')}(?:['’]s)? (?:{_WORD}){{0,3}}?{_FIRM_WORD},? {_mark('O', 's')}{_CUT}"), FIRM),
    _Pattern(
        "firm",
        re.compile(rf"{_mark('O', 's')}(?: \([^()]{{1,40}}\))?(?:,| is| was) (?:now |then )?(?:an?|the) (?:{_WORD}){{0,4}}?{_FIRM_WORD} of (?:the )?(?:{_WORD}){{0,3}}?{_mark('O', 'o')}{_CUT}"),
        FIRM,
    ),
    _Pattern("work_of", re.compile(rf"{_mark('PO', 's')}['’]s? (?:(?!for |in |on |from ){_WORD}){{0,4}}?{_WORK_WORD},?:? [*_]*(?P<quote>[\"“])?(?:The )?{_mark('W', 'o')}(?(quote)(?=[,.!?]?[\"”]))"), WORKS),
    _Pattern(
        "work_by",
        re.compile(rf"{_mark('W', 'o')}[\"”*_]*(?: \([^()]{{1,40}}\))?(?:,| is| was) (?:an?|the) (?:{_WORD}){{0,5}}?{_WORK_WORD} by (?:the )?(?:{_WORD}){{0,3}}?{_mark('PO', 's')}{_CUT}"),
        WORKS,
    ),
    _Pattern(
        "made_by",
        re.compile(rf"{_mark('W', 'o')}[\"”*_]*(?: \([^()]{{1,40}}\))?,? (?:(?:is|was|were|has been|had been) )(?:[a-z]+ed and |[a-z]+en and |co-)?{_MADE_WORD}(?: in \d{{4}})? by (?:the )?(?:{_WORD}){{0,3}}?{_mark('PO', 's')}{_CUT}"),
        MADE,
    ),
    _Pattern(
        "also_made_by",
        re.compile(rf"{_mark('W', 'o')}[\"”*_]*(?: \([^()]{{1,40}}\))?,? (?:(?:is|was|were|has been|had been) ){_MADE_WORD} and [a-z]+(?:ed|en) by (?:the )?(?:{_WORD}){{0,3}}?{_mark('PO', 's')}{_CUT}"),
        MADE,
    ),
    _Pattern(
        "post_of",
        re.compile(rf"{_mark('P', 's')}(?: \([^()]{{1,40}}\))?(?: is|['’]m| am|,? who is| (?:currently |now |also )?(?:serves?|acts?) as)(?: (?:also|currently|now|still))*(?: an?| the| one of the)? (?:(?i:{_any(POSTS)})s?,? and )?(?:current |core |lead |founding |main |active )?(?:(?P<what>(?i:{_any(POSTS)}))s?|{OPEN}[A-Z](?P<named>\d+){CLOSE})(?:,? and (?:an? )?(?i:{_any(POSTS)}))? (?:of|for|on) (?:the )?(?:{OPEN}O\d+{CLOSE} )?{_mark('OXW', 'o')}(?= project\b(?! [A-Z{OPEN}])| (?:and|which|that|who|where|since|as|but|for|in|community|team|working group)\b|[.,;:)!]|$)"),
        POSTS,
    ),
    _Pattern(
        "post_in",
        re.compile(rf"{_mark('P', 's')}(?: is|['’]m| am)(?: (?:also|currently|now|still))*(?: an?| the) {_mark('OXW', 'o')} (?:project )?(?P<what>(?i:{_any(POSTS)}))(?=[.,;)]| (?:and|who|since|where)\b)"),
        POSTS,
    ),
    _Pattern(
        "chairing",
        re.compile(rf"{_mark('P', 's')}(?:['’]m| am| is)(?: (?:also|currently|now))* (?P<what>co-chairing|chairing|co-leading|leading|maintaining) (?:the )?{_mark('OXW', 'o')}(?=[.,;)]|$| (?:and|since|where|with|as|for)\b)"),
        {"maintaining": "MAINTAINS", "": "LEADS"},
    ),
    _Pattern(
        "leads_each",
        re.compile(rf"{_mark('P', 's')}(?:, who)? (?:also |currently |now )*(?P<what>leads|co-leads|chairs|co-chairs|maintains) (?:the |several |multiple |many |various |a number of )*(?:[a-z-]+ ){{0,4}}?(?:{OPEN}[A-Z]\d+{CLOSE} )?\((?:the )?{_mark('OXW', 'o')}(?=[,)]| and )"),
        {"maintains": "MAINTAINS", "": "LEADS"},
    ),
    _Pattern(
        "participates",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{0,160}}? (?:also |actively |regularly |currently )*(?:participates|takes part) in (?:the )?{_mark('O', 'o')}(?=[,.;)]| and |$)"),
        {"": "PARTICIPATES_IN"},
    ),
    _Pattern(
        "award",
        re.compile(rf"{_mark('POW', 's')}(?:, who)? {_HAVE}(?:won|received|earned|shared|was awarded|were awarded|been awarded|was honou?red with) (?:the |an? |his |her |its |their |two |three )?(?:\d{{4}} )?(?:[A-Z][\w.'’-]+ ){{0,3}}?{_mark('WEOXU', 'o')}"),
        {"": "WON"}, dated=True,
    ),
    _Pattern(
        "capital",
        re.compile(rf"\b[Cc]apital(?: city)? of (?:the )?{_mark('L', 'o')} (?:is|was) {_mark('L', 's')}{_CUT}"),
        {"": "CAPITAL_OF"},
    ),
    _Pattern(
        "renamed",
        re.compile(rf"{_mark('OLWU', 's')}(?:,? |, \()(?:has |had |was |were |is )?(?:later |subsequently |then |officially |formally |also )*(?:changed its name to|renamed itself|renamed (?:as |to )?|was renamed (?:as |to )?) ?(?:the )?{_mark('OLWU', 'o')}{_CUT}"),
        {"": "RENAMED_TO"}, dated=True,
    ),
    _Pattern(
        "formerly",
        re.compile(rf"{_mark('OLWU', 'o')}(?:, | \()(?:formerly|previously|originally)(?: known as| called| named)? (?:the )?{_mark('OLWU', 's')}(?=[,;.)])"),
        {"": "RENAMED_TO"},
    ),
    _Pattern(
        "renamed_from",
        re.compile(rf"\b(?:rebranded(?: itself)?|renamed(?: itself)?|changed its name|name was changed|was renamed|name changed) from (?:the )?{_mark('OLWU', 's')} to (?:the )?{_mark('OLWU', 'o')}{_CUT}"),
        {"": "RENAMED_TO"}, dated=True,
    ),
    _Pattern(
        "at_works",
        re.compile(rf"^(?:At|Within) (?:the )?{_mark('OU', 'o')}(?:, | [a-z ]{{1,30}}, )?{_mark('P', 's')} (?:heads|headed|leads|led|runs|ran|manages|managed|directs|directed|oversees|oversaw|works|worked|holds|held|served|serves|is responsible)\b"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "posts_at",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,100}}?\b(?:holds|held|holding|has had|had) (?:{_WORD}){{0,4}}?(?:roles|positions|posts|appointments|jobs|leadership|fellowships?|role|position|post|appointment|professorship|chair) (?:at|with) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "in_brackets",
        re.compile(rf"{_mark('P', 's')} \((?:former |formerly |ex-)?{_mark('OU', 'o')}(?:['’]s?)? (?:{_WORD}){{0,3}}?{_SCHOLAR}(?=[,;)]| and | who )"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "of_theirs",
        re.compile(rf"{_mark('P', 's')}(?: \([^()]{{1,40}}\))?, (?:(?:an?|the|then|former|formerly|previously|now|currently) |then-){{1,2}}{_mark('OU', 'o')}(?:['’]s?)? (?:{_WORD}){{0,3}}?{_SCHOLAR}(?=[,.;)]| (?:and|who|said|says|told|for|of|at|with|from|in|wrote|described)\b)"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "served_as_theirs",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,100}}?\b(?:served|serves|serving|worked|works|working) as (?:an? |the )?{_mark('OU', 'o')}(?:['’]s?)? (?:{_WORD}){{0,4}}?{_SCHOLAR}\b"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "grant_from",
        re.compile(rf"{_mark('POU', 's')}(?:, who|, which)?{_OWN}{{1,60}}?\b(?:received|receives|won|secured|was awarded|were awarded|got|obtained) (?:an? |its |their |his |her |the |several |two |three )?{_SUM}?(?:{_WORD}){{0,3}}?(?:grants?|funding|donations?|gifts?)(?: of {_SUM}| worth {_SUM})?(?:in \d{{4}} )? ?from (?:the )?{_mark('OPU', 'o')}{_CUT}"),
        {"": "<FUNDS"}, dated=True,
    ),
    _Pattern(
        "granted",
        re.compile(rf"{_mark('OPU', 's')} {_HAVE}(?:granted|gave|donated|awarded|gifted|pledged|contributed) {_SUM}(?:[^;:.{OPEN}]{{0,40}} )?to (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "FUNDS"}, dated=True,
    ),
    _Pattern(
        "schooled",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,120}}?\b(?:attended|attending|enrolled (?:at|in)|enrolling (?:at|in)|graduated from|graduating from|graduate of|alum(?:nus|na) of|was educated at|educated at|studied [^;:.{OPEN}]{{0,40}}?at|studying [^;:.{OPEN}]{{0,40}}?at) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "EDUCATED_AT"}, dated=True,
    ),
    _Pattern(
        "degree_too",
        re.compile(rf"{_mark('P', 's')}{_OTHERS}{{0,160}}?{DEGREE_WORD}{_OTHERS}{{0,60}}? (?:from|at) (?:the )?{OPEN}[OU]\d+{CLOSE}{_OTHERS}{{0,80}}?(?:{DEGREE_WORD}|{_mark('WOXU', 'degree')})(?: {_OTHERS}{{1,60}}?)? (?:from|at) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "EDUCATED_AT"},
    ),
    _Pattern(
        "site",
        re.compile(rf"{_mark('O', 's')} (?:has|have|had|maintains|maintained|operates|operated|opened|runs) (?:an? |its |their )?(?:{_WORD}){{0,3}}?(?:offices?|branch(?:es)?|factor(?:y|ies)|plants?|campus(?:es)?|laborator(?:y|ies)) in (?:{OPEN}[LF]\d+{CLOSE}(?:, and |, | and ))*?(?:the )?{_mark('L', 'o')}{_CUT}"),
        {"": "HAS_SITE_IN"},
    ),
    _Pattern(
        "held_in",
        re.compile(rf"{_mark('EOWXU', 's')} (?:(?:is|was|were|has been|had been) )?(?:also |first |last |again )?(?:held|hosted|staged|took place|takes place) (?:[^;,.{OPEN}]{{0,25}}? )?(?:in|at) (?:the )?{_mark('LF', 'o')}{_CUT}"),
        {"": "HELD_IN"}, dated=True,
    ),
    _Pattern(
        "appointed",
        re.compile(rf"{_mark('OU', 'o')} {_HAVE}(?:named|appointed|hired|elected|promoted|chose) {_mark('P', 's')}(?:, [^,;{OPEN}]{{1,40}},)? (?:as |to be |to )?(?:its |the |an? )?(?:{_WORD}){{0,4}}?{ROLE}\b"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "took_over_from",
        re.compile(rf"{_mark('P', 's')}(?:, who)? {_HAVE}(?:succeeded|succeeds|replaced|replaces|succeeding|replacing) {OPEN}P\d+{CLOSE} as (?:its |the |an? )?(?:{_WORD}){{0,4}}?{ROLE} (?:of|at|for) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "post_at",
        re.compile(rf"{_mark('P', 's')},? (?:(?:the|an?|its|who is|who was|is|was|is an?|was an?|now|then|former|a former) )?(?:{_WORD}){{0,5}}?{ROLE}(?:,? and {ROLE})? at (?:the )?{_mark('U', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "from_is",
        re.compile(rf"{_mark('P', 's')} (?:from|of|at) (?:the )?{_mark('OU', 'o')} is (?:currently |now )?(?:the|our|an?|one of the|one of our) (?:{_WORD}){{0,3}}?{ROLE}s?\b"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "signed",
        re.compile(rf"^[-–—>*_ \n]{{1,6}}{_mark('P', 's')}[*_]*, (?P<title>(?:(?:[\w&/.'’-]+|{OPEN}[A-Z]\d+{CLOSE}),? ){{1,8}}?)at (?:the )?{_mark('OUX', 'o')}[*_]*(?=[;,.]|$)"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "signed_of",
        re.compile(rf"^[-–—>*_ \n]{{0,6}}[–—] ?[*_]*{_mark('P', 's')}[*_]*, (?:the )?{_mark('O', 'o')}[*_]*$"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "from",
        re.compile(rf"(?:^|, |: | and |[–—] ?|\bby |[Ww]ith |thanks to |said |says ){_mark('P', 's')} from (?:the )?{_mark('O', 'o')}(?=[.,;)]|$| [–—-] | and (?:the )?{OPEN}P| (?:who|said|says|spoke|talked|told|presented|joined|wrote|explained|shared|notes|gave)\b)"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "is_from",
        re.compile(rf"(?:^|, (?:and )?| and ){_mark('P', 's')} (?:is|was) (?:also |currently |now )?(?:from|with) (?:the )?{_mark('O', 'o')}(?=[.,;)]|$| and (?:{OPEN}P|has\b|works\b|is\b))"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "theirs",
        re.compile(rf"{_mark('O', 'o')}['’]s {_mark('P', 's')}(?=,| (?:and|said|says|who|told|wrote|writes|spoke|talked|explained|explains|presented|noted|notes|joined|leads|led)\b)"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "both_of",
        re.compile(rf"{_mark('P', 's')} (?:and|&) {OPEN}P\d+{CLOSE} (?:of|from) (?:the )?{_mark('O', 'o')}(?=[.,;)]|$| [–—-] | (?:who|said|say|spoke|talked|told|presented|joined|wrote|explained|shared|gave|for|on|at)\b)"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "signed_founder",
        re.compile(rf"^[-–—>*_ \n]{{1,6}}{_mark('P', 's')}[*_]*, (?:[^;]{{1,80}}; )?(?i:co-?)?(?i:founder)(?: and [\w ]{{2,20}})? of (?:the )?{_mark('OUX', 'o')}[*_]*(?=[;,.]|$)"),
        {"": "FOUNDED"},
    ),
    _Pattern(
        "whose_post",
        re.compile(rf"{_mark('P', 's')}(?: \([^()]{{1,40}}\))?, {_mark('OU', 'o')}(?:['’]s?)? (?:{_WORD}){{0,3}}?{ROLE}(?=[,.;)]| (?:and|who|said|says|told|for|of|at)\b)(?! at (?:the )?{OPEN})"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "titled_at",
        re.compile(rf"{_mark('P', 's')}{_TITLED}at (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "titled",
        re.compile(rf"{_mark('P', 's')}{_TITLED}(?:for the|(?:of|with|in)(?: the)?) {_mark('O', 'o')}{_CUT}(?! (?:at|with) (?:the )?{OPEN}[OU])"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "served_as",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,100}}?\b(?:served|serves|serving|worked|works|working|acted) as (?:its |the |an? )?(?:{_WORD}){{0,4}}?{ROLE} (?:of|at|for|with) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "served_long",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,60}}?\b(?:served|serves|serving|worked|works|working|acted) (?:as|in) (?P<title>(?:(?!board|member|trustee|fellow|co-chair)(?:[^;:{OPEN}]|{OPEN}[XWLEU]\d+{CLOSE}|(?:(?<=, )|(?<=– )){OPEN}O\d+{CLOSE}(?= and |,))){{3,170}}?)(?:at|with|for|of) (?:the )?(?:law firm (?:of )?)?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "partner",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,80}}?\b(?:is|was|been|became|as) an? (?:[a-z]+ )?(?:partner|principal|shareholder) (?:with|at|in|of) (?:the )?(?:[a-z-]+ ){{0,3}}(?:firm (?:of )?)?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "career",
        re.compile(rf"{_mark('P', 's')},? (?:who )?(?:had |has )?(?:began|begun|started|spent) (?:[a-z-]+ ){{1,5}}?career (?:in (?:the )?\d{{4}}s?,? )?(?:as [^;:{OPEN}]{{2,80}} |in [a-z ]{{3,40}} )?(?:at|with|in|for) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "also_was",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,120}}?,? and (?:is|was|became|had been|has been)(?: (?:also|now|then|later|once|long|for (?:some|many|several|a few) years|at one time))* (?:(?:an?|the) )?(?:{_WORD}){{0,3}}?{ROLE} (?:of|at|for) (?:the )?{_mark('O', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "other_post",
        re.compile(rf"{_mark('P', 's')}(?:,| is| was|,? who (?:is|was)) (?:now |then |once |formerly |for many years |for some years )?(?:an? |the )?(?:{_WORD}){{0,3}}?(?:clerks?|surgeon|tutor|instructor) (?:of|at|in|to) (?:the )?{_mark('O', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "edited",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{0,100}}? (?:later |also |then |had |once )*edited (?:the )?(?:{OPEN}L\d+{CLOSE} )?[\"“*_]+{_mark('WUO', 'o')}(?=[.,]?[\"”*_])"),
        {"": "EDITED"},
    ),
    _Pattern(
        "of_which",
        re.compile(rf"{_mark('OU', 'o')},? of which (?:[a-z]+ )?{_mark('P', 's')} (?:is|was|became) (?:(?:now|then|once|later|the|an?) )*(?:{_WORD}){{0,3}}?{ROLE}\b"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "staff_of",
        re.compile(rf"{_mark('P', 's')}{_ON_STAFF}staff of (?:the )?(?:{OPEN}L\d+{CLOSE} )?[\"“*_]*{_mark('OUW', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "whose_staff",
        re.compile(rf"{_mark('P', 's')}{_ON_STAFF}(?:{OPEN}L\d+{CLOSE} )?[\"“*_]*{_mark('OUW', 'o')}[\"”*_]*(?:['’]s?)?[\"”*_]* (?:[a-z]+ )?staff\b"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "of_paper",
        re.compile(rf"{_mark('P', 's')}{_TO_POST}(?:{_WORD}){{0,4}}?(?:editor|publisher|reporter|correspondent|columnist|critic|cartoonist|journalist|writer)(?:[ -]in[ -]chief)?(?: and [a-z]+)? (?:of|on|for|at|with) the (?:{_WORD}){{0,2}}(?:{OPEN}L\d+{CLOSE} )?[\"“*_]{_mark('WUO', 'o')}(?=[.,]?[\"”*_])"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "by_maker",
        re.compile(rf"(?<![\w-]){_mark('WX', 'o')}[\"”*_]*(?: ?\([^()]{{1,90}}\))?,?(?: [\"“][^\"“”]{{3,90}}[\"”],?)? by {_mark('P', 's')}{_CUT}"),
        {"": "CREATED"},
    ),
    _Pattern(
        "proposal_by",
        re.compile(rf"{_mark('X', 'o')} ?\([^()]{{0,60}}\bproposal by {_mark('P', 's')}\)"),
        {"": "PROPOSED"},
    ),
    _Pattern(
        "serves_on",
        re.compile(rf"{_mark('P', 's')} (?:also |now |currently )?(?:serves?|served|sits?|sat) on (?:the )?{_mark('O', 'o')}(?=[.,;)]|$| (?:and|as|with|from|for|since|until)\b)"),
        {"": "MEMBER_OF"},
    ),
    _Pattern(
        "served_as_official",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,100}}?\b(?:served|serves|serving|acted) as (?:its |the |an? )?(?:{_WORD}){{0,3}}?{OFFICE} (?:of|for|from|to) (?:the )?{_mark('L', 'o')}{_CUT}"),
        {"": "OFFICIAL_OF"},
    ),
    _Pattern(
        "board",
        re.compile(rf"{_mark('P', 's')}(?:, who| who|,)? (?:[^;:,.{OPEN}]{{0,30}} )?(?:(?:is|was|became|as) an? (?:{_WORD}){{0,2}}?member of|serves on|served on|sits on|sat on|joined|serves as [a-z]+ of|is on) the (?:{_WORD}){{0,2}}?board(?: of (?:directors|trustees|governors|regents))? (?:of|at|for) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "BOARD_MEMBER_OF"},
    ),
    _Pattern(
        "board_member",
        re.compile(rf"{_mark('P', 's')}{_OWN}{{1,100}}?\b(?:is|was|serves as|served as|became|as) an? (?:{_WORD}){{0,2}}?board member (?:of|at|for) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "BOARD_MEMBER_OF"},
    ),
    _Pattern(
        "item_founded",
        re.compile(rf"^{_mark('P', 's')}(?::| [-–—]|,) {_OWN}{{0,200}}?\b(?:co-?)?founded (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "FOUNDED"},
    ),
    _Pattern(
        "item_worked",
        re.compile(rf"^{_mark('P', 's')}(?::| [-–—]) {_OWN}{{0,200}}?\b(?:worked|works|working|interned) (?:at|for) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "WORKS_FOR"},
    ),
    _Pattern(
        "attached",
        re.compile(rf"{_mark('O', 's')}(?: \([^()]{{1,40}}\))?(?:,| is| was) an? (?:(?!and |or )[^;:.()\s{OPEN}{CLOSE}]+ ){{1,9}}?(?P<what>affiliated with|housed at|housed in|housed within|hosted by) (?:the )?{_mark('O', 'o')}{_CUT}"),
        {"affiliated with": "AFFILIATED_WITH", "": "PART_OF"},
    ),
    _Pattern(
        "based",
        re.compile(rf"{_mark('O', 's')}(?: \([^()]{{1,40}}\))?(?:,| is| was) (?:an?|the) (?:{_WORD}){{0,2}}?{_mark('L', 'o')}-based\b"),
        {"": "LOCATED_IN"},
    ),
    _Pattern(
        "joined",
        re.compile(rf"{_mark('P', 's')}(?:, who| who)? {_HAVE}(?:joined|rejoined) (?:the )?{_mark('OU', 'o')}(?=[.,;)]| (?:in|as|after|on|from|where|when|and|at|before|with|during|team|full|to|this|last)\b)"),
        {"": "JOINED"}, dated=True,
    ),
    _Pattern(
        "before_joining",
        re.compile(rf"^(?:Before|Prior to|After|Since) (?:re)?joining (?:the )?{_mark('OU', 'o')}(?: (?:in|as|at) [^,;{OPEN}]{{1,40}})?, {_mark('P', 's')} "),
        {"": "JOINED"},
    ),
    _Pattern(
        "degree",
        re.compile(rf"{_mark('P', 's')}{_OTHERS}{{0,160}}?\b(?:receiv(?:ed|ing)|earn(?:ed|ing)|holds|held|has|obtain(?:ed|ing)|complet(?:ed|ing)|was awarded|with) (?:his |her |an? |the |their |two |both ){_OTHERS}{{0,50}}?(?:degrees?|doctorate|diploma|Ph\.?D\.?|[Bb]achelor[^ ]*|[Mm]aster[^ ]*|MBA|M\.?[AS]\.?|B\.?[AS]\.?|{_mark('WOXU', 'degree')})(?: (?:in|of) {_OTHERS}{{1,60}}?)? (?:from|at) (?:the )?{_mark('OU', 'o')}{_CUT}"),
        {"": "EDUCATED_AT"}, dated=True,
    ),
)  # fmt: skip
TYPES = frozenset(type_.removeprefix("<") for one in _PATTERNS for type_ in one.types.values())
"""What is found here."""
_MARK = re.compile(rf"{OPEN}[A-Z](\d+){CLOSE}")
_POST = re.compile(
    rf"(?i:\b(?:{ROLE}|VP|SVP|lead|architect|[a-z]{{3,}}(?:ologist|ician|ist|arian)|intern|associate|fellow|scholar|producer|instructor|trainer|member)\b)"
)
_HONORARY = re.compile(r"\b(?:[Ff]ellow|[Mm]ember) $")
"""A *Fellow of the Royal Society* does not work there."""
_BRACKET = re.compile(r"\([^()]+\)$")
_NAMED = {"award": AWARD, "held_in": EVENT, **dict.fromkeys(("degree", "degree_too", "schooled"), SCHOOL)}
"""Rule to what the name at its end must be like: of an award or a meeting the tagger gives any type."""
_OF_PAPERS = frozenset({"staff_of", "whose_staff", "of_paper", "edited"})
"""Rules about people who write for a paper, which the tagger takes for a work."""
_FAR = frozenset(
    {
        "staff_of",
        "also_was",
        "edited",
        "whose_staff",
        "posts_at",
        "served_as_theirs",
        "served_long",
        "partner",
        "grant_from",
        "schooled",
        "degree_too",
    }
)
"""Rules with words between the subject and what it did."""
_NO_SUBJECT = re.compile(r"\b(?:of|with|by|under|for|to|from|like|alongside|than|about|on) (?:the )?$")
"""Before a name that is no subject: *under the supervision of Ann Lee*."""
_ELSE = frozenset({"served_long", "partner", "career"})
"""Rules that say less than those before them, and nothing beside them."""
_OF_POSTS = frozenset({"post_of", "post_in", "chairing", "leads_each"})
"""Rules of what somebody is of a body or a project."""
_MAY_NOT = re.compile(
    r"(?:\b(?:would|could|might|may|should|will|shall|if|whether|not|cannot)|n[’']t) (?:have |be |has )?$"
)


_TAKEN_FOR_GRANTED = frozenset({"kin_of", "firm_of", "work_of", "whose_post"})
"""Phrases that hold whatever the sentence doubts or asks: *Did Ann Lee's daughter Mary see it?*"""
_PASSIVE = re.compile(
    r"\b(?:is|was|are|were|be|been|being|gets?|got) (?:[a-z]+ )?[a-z]+(?:ed|en|wn|ilt|ade|one|ung|un)\b[^,;]*$"
)
_ON_ANOTHER = re.compile(
    r"\b(?:of|to|in|into|for|on|from|with|about|at|using|via|against|between|than|as|by|over|under|or) (?:the |an? )?$"
)
"""Before a name that is not what *by* says the maker of: *changes to Lumen by Ann Lee*."""


def tie_facts(masked: str, letters: Sequence[str], name: Sequence[str]) -> Iterator[PatternFact]:
    """The facts of a sentence whose marks carry letters; ``letters`` and ``name`` are those of the marks."""
    unreal = is_unreal(masked)
    if len(letters) < 2 or (unreal and is_told_of_nothing(masked)):
        return
    seen: set[tuple[str, int, int]] = set()
    told: set[tuple[int, int]] = set()
    for rule, expression, types, confidence, dated in _PATTERNS:
        if unreal and rule not in _TAKEN_FOR_GRANTED:
            continue
        for match in expression.finditer(masked):
            subject, target = int(match["s"]), int(match["o"])
            parts = match.groupdict()
            what, degree, title = (parts.get(group) for group in ("what", "degree", "title"))
            if parts.get("named") is not None and (what := name[int(parts["named"])]).lower() not in POSTS:
                continue
            stated = types.get((what or "").lower(), types.get("", ""))
            type_ = stated.removeprefix("<")
            end = target if match.end("o") > match.end("s") else subject
            if type_ != stated:
                subject, target = target, subject
            if type_ == "DIRECTED" and letters[subject] == "O":
                type_ = "PRODUCED"  # "a film by Acme Pictures"
            if rule == "titled" and title and _HONORARY.search(title):
                type_ = "MEMBER_OF"
            if rule in _OF_POSTS and {"MEMBER_OF": "O", "CREATED": "XW"}.get(type_, "OXW").find(letters[target]) < 0:
                continue
            if degree is not None and DEGREE.search(name[int(degree)]) is None:
                continue
            if title and _POST.search(_MARK.sub(lambda mark: name[int(mark[1])], title)) is None:
                continue
            if not _is_maker(type_, letters[subject]) or not _is_work(what or "", name[target]):
                continue
            before = masked[: match.start()]
            if not _fits(rule, subject, target, letters, name) or _MAY_NOT.search(before):
                continue
            if rule in _FAR and _NO_SUBJECT.search(before):
                continue
            if rule == "by_maker" and (_PASSIVE.search(before) or _ON_ANOTHER.search(before)):
                continue
            shown = "UW" if rule in _OF_PAPERS else "U"
            roles = {mark: "Organization" if letters[mark] in shown else "" for mark in (subject, target)}
            for last in (end, *_listed(rule, masked, match.end())):
                one, two = (last, target) if end == subject else (subject, last)
                if (
                    (type_, one, two) not in seen
                    and name[one] != name[two]
                    and not (rule in _ELSE and (one, two) in told)
                ):
                    seen.add((type_, one, two))
                    told.add((one, two))
                    yield PatternFact(
                        type_, [one], [two], match.start(), match.end(), confidence,
                        dated=dated, roles={mark: roles.get(mark, "") for mark in (one, two)}, rule=f"ties.{rule}",
                    )  # fmt: skip


_LISTS = frozenset(
    "by_maker kin work_by made_by also_made_by site posts_at partner item_founded item_worked attached post_of chairing leads_each participates".split()
)
"""Rules whose last name may be one of several."""
_NEXT = re.compile(
    rf"(?: \([^()]{{1,40}}\))?(?:, and | and |, )(?:(?<= and )(?:the )?(?:(?!(?:stars?|starred|starring|features?|featured|written|produced|edited|released|distributed|narrated)\b)[a-z]+ )?)?{OPEN}([POLXW])(\d+){CLOSE}{_CUT}"
)


def _listed(rule: str, masked: str, end: int) -> Iterator[int]:
    """The names that are listed with the last one of a match, by their numbers."""
    kind = masked[:end].rpartition(OPEN)[2][:1]
    while rule in _LISTS and (found := _NEXT.match(masked, end)) is not None and found[1] == kind:
        yield int(found[2])
        end = found.end()


def _is_maker(type_: str, letter: str) -> bool:
    """Whether somebody can have made a work: what is written or painted, no firm did."""
    return letter == "P" or type_ not in ("WROTE", "COMPOSED", "CREATED", "ILLUSTRATED", "TRANSLATED", "EDITED")


def _is_work(what: str, name: str) -> bool:
    """Whether a name may be that of such a work: no novel is *Tropic of Cancer (film)*."""
    bracket = _BRACKET.search(name)
    return what not in WORKS or bracket is None or what in bracket[0]


def _fits(rule: str, subject: int, target: int, letters: Sequence[str], name: Sequence[str]) -> bool:
    if name[subject] == name[target]:
        return False
    if rule in ("renamed", "formerly"):
        ends = {letters[subject], letters[target]}
        return ends != {"U"} and (len(ends) == 1 or ends == {"O", "U"})
    if rule == "award" and CUT_AWARD.search(name[target]):
        return False
    meant = _NAMED.get(rule)
    return meant is None or meant.search(name[subject if rule == "held_in" else target]) is not None
