"""Names of software whose repository or package a text links to: ``[lamp-finder](https://github.com/acme/lamp-finder)``.

Used by formats when a file is parsed. Labels that are spelled as programs are, and as no word is (*lamp-finder*,
*LampDB*, *h5py*), and words with capitals that are not the owner's name; the documents only suggest them
(``extraction.names.declared.suggested``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgfs.documents.labelled_links import LabelledLink
from kgfs.documents.suggestions.project_names import PROJECT
from kgfs.documents.suggestions.site_names import SITE
from kgfs.model import DefinedTerm

MAX_REPOSITORIES = 200
"""Names that one document suggests."""

_LABEL = re.compile(r"`{0,2}(?P<label>[A-Za-z\d][\w.+-]{2,40}?|[A-Z]\w+(?: [A-Z]\w+){1,3})`{0,2}")
_ADDRESS = re.compile(
    r"https?://(?:www\.)?(?:"
    r"(?:github|gitlab|bitbucket)\.(?:com|org)/[\w.-]+/(?P<repository>[\w.-]+?)(?:\.git)?"
    r"|(?:pypi\.org/(?:project|p)|npmjs\.com/package|crates\.io/crates|rubygems\.org/gems|hub\.docker\.com/r/[\w.-]+|"
    r"anaconda\.org/[\w.-]+|packagist\.org/packages/[\w.-]+|hackage\.haskell\.org/package)/(?P<package>[\w.-]+)"
    r"|(?P<docs>[\w-]+)\.readthedocs\.(?:io|org)(?:/[\w./-]*)?)/?"
)
_OWNER = re.compile(r"https?://(?:www\.)?(?:github|gitlab|codeberg)\.(?:com|org)/(?P<owner>[\w.-]+)/")
_LABELLED = 3
"""What such a link weighs beside the sentences that have a project's name."""
_SPELLED = re.compile(r"[A-Za-z\d]+(?:[-_.+][A-Za-z\d]+)+|[A-Za-z]*[a-z][A-Z]\w*|[A-Za-z]+\d[A-Za-z\d]*")
_NO_PROGRAM = re.compile(
    r"(?i)\.(?:md|rst|txt|ya?ml|json|toml|github|com|org)$|(?:^|[-_.])(?:docs?|website|community|governance|meta)$"
)
"""Files, and repositories of texts."""


def repository_names(links: Iterable[LabelledLink]) -> list[DefinedTerm]:
    """The names that are labels of links to a repository or a package of that name, in order."""
    found: dict[str, DefinedTerm] = {}
    for link in links:
        written = _LABEL.fullmatch(link.label)
        label = "" if written is None else written["label"]
        if not label or label in found or not is_repository_of(label, link.address):
            continue
        owned = _is_owned(label, link.address)
        if owned or _SPELLED.fullmatch(label):
            found[label] = DefinedTerm(name=label, kind=PROJECT if owned else SITE, weight=_LABELLED if owned else 1)
            if len(found) == MAX_REPOSITORIES:
                break
    return [*found.values()]


def _is_owned(label: str, address: str) -> bool:
    """Whether a word with a capital, or several, is what a repository is called, and not whose it is:
    ``[Rekor](https://github.com/sigstore/rekor)``. Ordinary words are told where there is a dictionary."""
    found = _OWNER.match(address.strip())
    word = (label.istitle() and label.isalpha()) or " " in label
    return found is not None and word and _letters(found["owner"]) != _letters(label)


def is_repository_of(name: str, address: str) -> bool:
    """Whether an address is that of the repository or the package of a name: of ``lamp-finder``, or *Lamp Finder*."""
    found = _ADDRESS.fullmatch(address.strip())
    if found is None or _NO_PROGRAM.search(name):
        return False
    return _letters(name) == _letters(found["repository"] or found["package"] or found["docs"])


def _letters(name: str) -> str:
    return re.sub(r"[-_.\s]", "", name).casefold()
