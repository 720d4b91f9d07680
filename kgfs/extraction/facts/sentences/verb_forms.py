"""The basic form of an English verb: ``written`` is ``write``, ``relies`` is ``rely``.

Used by the open relations; the tagger's own lemmatizer is not loaded, since only verbs between two names need one. Pure, but
for the model's dictionary.
"""

# A row of the table is read as a whole.
# ruff: noqa: E501

from __future__ import annotations

from kgfs.extraction.names import tagging

_IRREGULAR: dict[str, str] = {
    form: forms.split()[0]
    for forms in (
        "be am is are was were been being", "have has had having", "do does did done", "go goes went gone",
        "become became", "begin began begun", "beat beaten", "break broke broken", "bring brought", "build built",
        "buy bought", "catch caught", "choose chose chosen", "come came", "cut cutting", "deal dealt", "draw drew drawn",
        "drive drove driven", "eat ate eaten", "fall fell fallen", "feed fed", "feel felt", "fight fought", "find found",
        "flee fled", "fly flew flown", "forbid forbade forbidden", "forget forgot forgotten", "forgive forgave forgiven",
        "get got gotten getting", "give gave given", "grow grew grown", "hear heard", "hide hid hidden", "hit hitting",
        "hold held", "keep kept", "know knew known", "lay laid", "lead led", "learn learnt", "leave left", "lend lent",
        "let letting", "lie lay lain lying", "light lit", "lose lost", "make made", "mean meant", "meet met",
        "overcome overcame", "oversee oversaw overseen", "overthrow overthrew overthrown", "pay paid", "put putting",
        "quit quitting", "read", "ride rode ridden", "ring rang rung", "rise rose risen", "run ran running", "say said",
        "see saw seen", "seek sought", "sell sold", "send sent", "set setting", "shake shook shaken", "shoot shot",
        "show shown", "shut shutting", "sing sang sung", "sink sank sunk", "sit sat", "sleep slept", "slay slew slain",
        "speak spoke spoken", "spend spent", "spin spun", "split splitting", "spread", "stand stood", "steal stole stolen",
        "stick stuck", "strike struck", "swear swore sworn", "sweep swept", "swim swam swum", "take took taken",
        "teach taught", "tell told", "think thought", "throw threw thrown", "understand understood", "undergo underwent",
        "wear wore worn", "win won winning", "withdraw withdrew withdrawn", "write wrote written",
        "rewrite rewrote rewritten", "co-write co-wrote co-written", "outrun outran", "inherit inherited",
        "found founded founds founding", "base based bases basing", "star starred starring stars", "use used uses using",
    )
    for form in forms.split()
}  # fmt: skip


def basic_form(form: str) -> str:
    """The basic form of a verb; a form that no rule fits stays as it is."""
    word = form.lower()
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    prefix, dash, rest = word.rpartition("-")
    if dash:
        return f"{prefix}-{basic_form(rest)}"
    return next((stem for stem in _stems(word) if tagging.is_verb_or_adjective(stem)), word)


def _stems(word: str) -> list[str]:
    """What a form may be made of, the likeliest first."""
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            doubled = [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] else []
            with_y = [stem[:-1] + "y"] if stem[-1] == "i" else []
            return [stem + "e", *with_y, stem, *doubled] if not doubled else [stem, *doubled, stem + "e"]
    if word.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith("es"):
        return [word[:-1], word[:-2]]
    return [word[:-1], word] if word.endswith("s") and not word.endswith("ss") else [word]
