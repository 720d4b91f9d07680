"""What the columns of a table are: which one names the rows, which one says what they are.

Used by the readers of this package; pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgfs.documents.dates import find_dates
from kgfs.documents.records.kinds import is_kind, kind_of_rows, kind_type
from kgfs.documents.records.record import is_foreign_key, is_nothing, is_plain_value, key_word, may_be_name, spelled
from kgfs.plurals import singular

_UNSAID = tuple("name full_name fullname display_name displayname name_full title label".split())
_NAMES = (
    *_UNSAID,
    *"company organization organisation".split(),
    *"employee person member contact contact_name customer client vendor supplier product project service".split(),
    *"system application app component server host hostname team department city country region state".split(),
    *"district site location institution university school bank agency author book film movie song album event".split(),
    "naam",
)
"""Headers of the column that names the rows, best first."""
_THINGS = frozenset(
    "aircraft airship barge boat bridge building castle church ferry horse hotel inn island lighthouse locomotive "
    "monastery museum pub restaurant satellite ship spacecraft station telescope tower tug vessel village yacht".split()
)
"""Headers of things that have names of their own, so that a row may be called by any word with a capital."""
_FIRST, _LAST = ("first_name", "firstname", "given_name", "forename"), (
    "last_name", "lastname", "surname", "family_name",
)  # fmt: skip
_FULL = ("full_name", "fullname")
"""What a first column is headed with that holds names of persons."""
_NO_NAMES = frozenset(
    "file_name filename user_name username first_name last_name firstname lastname given_name family_name surname "
    "middle_name nick_name nickname manager_name owner_name parent_name domain_name column_name field_name "
    "contact_name author_name street_name bank_name account_name path_name key_name variable_name".split()
)
_KEYS = tuple("id identifier code key slug number no nr ref uid uuid symbol ticker short_name abbreviation".split())
_KINDS = ("type", "kind", "category", "class", "entity_type", "art")
_PROPERTIES = frozenset(
    "email e_mail phone telephone address owner manager reports_to role position job_title department team "
    "website founded founder founders ceo industry sector location headquarters city country age gender salary "
    "budget lead assignee author authors publisher director genre population area capital maintainer depends_on "
    "vendor parent members born died nationality occupation employees revenue start_date end_date due_date "
    "status leads chair chairs co_chairs owners maintainers provider sponsor product_owner service_owner tech_lead "
    "team_lead delivery_manager liaison point_of_contact contact_person responsible_person employer affiliation maker "
    "manufacturer supplier architect architects designer composer inventor builder captain mayor built opened "
    "launched".split()
)
"""Headers and keys of what things have, as no option or error has."""
_OFFICES = frozenset(
    "liaison liaisons lead leads chair chairs owner owners maintainer maintainers sponsor sponsors".split()
)
"""What somebody is of what a row names, behind other words: *Steering Committee Liaison*."""
_EMPLOYERS = frozenset("affiliation company employer firm organisation organization".split())
_SOMEBODY = frozenset(
    "approver attendee candidate committer delegate elected employee maintainer member nominee participant person "
    "reviewer speaker trustee volunteer voter".split()
)
"""Headers of a column of persons, who have the company in another column of their row."""
_KNOWN = _PROPERTIES | frozenset(
    "description notes note comment comments state date created updated year month day amount price cost total "
    "version url link count value values size start end due priority language meaning default purpose example".split()
)
"""Headers that show that a first line is a header."""
_OF_PAGES = frozenset(
    "alma_mater anthem box_office builders built_by capacity cast cinematography closed coach completed "
    "construction_started contractor cook_time cooking_time coordinates cost course crew cuisine currency density "
    "depth designed_by developed_by developer developers difficulty directed_by discovered discovered_by "
    "displacement distributor draught education elevation engineer established first_appearance flag floors "
    "founded_by genres genus headcount height home_port homeport inception initial_release inventor isbn kingdom "
    "known_for language languages latest_release launched league length licence license main_contractor "
    "maintained_by material materials music_by native_name number_of_employees number_of_rooms official_language "
    "official_name opening operated_by operator original_title owned_by parent parent_company phylum platform "
    "platforms port_of_registry prep_time preparation_time president prime_minister principal produced_by producer "
    "producers programming_language published region_served release_date released repository residence route "
    "running_time runtime screenplay screenwriter seats serves servings speed spouse starring station "
    "structural_engineer subsidiaries surface_area tenants time_zone timezone tonnage top_speed total_time "
    "traded_as translator weight width writer written_by written_in years_active".split()
)
"""Keys that the box on a page has besides."""
MAX_COLUMNS = 60
_SAMPLE = 200


def says_properties(keys: Iterable[str]) -> bool:
    """Whether one of these keys is a property of a thing: an owner, a status, a website."""
    return any(_is_property(key_word(key)) for key in keys)


def _is_property(word: str) -> bool:
    return word in _PROPERTIES or _is_office(word)


def is_property_of_page(word: str) -> bool:
    """Whether a key, in one spelling, is one that the box on the page of a thing has."""
    return _is_property(word) or word in _OF_PAGES


def is_header_word(cell: str) -> bool:
    """Whether a cell is what columns are headed with: *Owner*, *Name*, *Description*."""
    word = key_word(cell)
    usual = word in _KNOWN or word in _NAMES or word in _KEYS or word in _KINDS or word in _SOMEBODY
    return usual or is_property_of_page(word)


def _is_office(word: str) -> bool:
    """Whether a header says what somebody is: *Leads*, *Steering Committee Liaison*."""
    return word.rpartition("_")[2] in _OFFICES


@dataclass(slots=True)
class Columns:
    """The parts that columns of one table play."""

    header: list[str]
    names: tuple[int, ...]
    """The column that names the rows, or those of first and last name."""
    named: bool
    """Its header says that it holds names."""
    key: int | None
    kind: int | None
    words: tuple[str, ...] = ()
    """The header in one spelling, in English where its words are known."""
    says: str = ""
    """What the rows are, as the header of their names says."""
    width: int = 0
    """Its columns, with those at its end that no header names."""
    noun: str = ""
    """The same of a word that may be one for a thing; what stands above the table says it better."""

    def name(self, cells: Sequence[str]) -> str:
        """The name of a row; empty where it has none."""
        parts = [" ".join(cells[place].split()) for place in self.names if place < len(cells)]
        name = " ".join(part for part in parts if part)
        return name if may_be_name(name) else ""

    @property
    def is_known_noun(self) -> bool:
        """Whether the header of the names is a word for a thing of another language: *Bâtiment*."""
        return bool(self.noun) and is_foreign_key(self.header[self.names[0]])

    @property
    def of_things(self) -> bool:
        """Whether the header of the names says that they are of things that have some: *Vessel*."""
        return self.words[self.names[0]] in _THINGS

    @property
    def foreign(self) -> bool:
        """Whether the header is in another language than English."""
        return any(map(is_foreign_key, self.header))

    def kind_of(self, title: str) -> str:
        """What the rows are that stand under a title of this kind."""
        return self.says or kind_of_rows(title, self.words) or self.noun


def read_columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Columns | None:
    """The columns of a table by its header and its first rows; ``None`` where nothing names its rows.

    ``None`` too where the first line is no header, as far as it shows: an empty, numeric or repeated cell, a value.
    """
    header = [" ".join(cell.split()) for cell in header]
    width = len(header)
    while header and not header[-1]:
        header = header[:-1]
    if not 2 <= len(header) <= MAX_COLUMNS or not rows or not _is_header(header, rows):
        return None
    words = [key_word(cell) for cell in header]
    key = next((place for wanted in _KEYS for place, word in enumerate(words) if word == wanted), None)
    kind = next((place for wanted in _KINDS for place, word in enumerate(words) if word == wanted), None)
    if kind is not None and not _says_kinds(rows, kind):
        kind = None
    first = next((place for place, word in enumerate(words) if word in _FIRST), None)
    last = next((place for place, word in enumerate(words) if word in _LAST), None)
    if (first is None) != (last is None) and "name" in words:
        # "Nom | Prénom", "Имя | Фамилия": with one of the two, the other is only called the name.
        first, last = (words.index("name") if place is None else place for place in (first, last))
    if first is not None and last is not None:
        return Columns(header, (first, last), True, key, kind, tuple(words), "person", width)
    named = _named_column(words, rows)
    if named is not None:
        of_person = _is_office(words[named]) or (named == 0 and words[0] in _FULL)
        says = "person" if of_person else _said_kind(words[named])
        return Columns(header, (named,), True, key, kind, tuple(words), says, width, _noun(words[named], header[named]))
    if _names_rows(rows, 0) and _is_certain_header(words, rows):
        says = _said_kind(words[0])
        return Columns(
            header, (0,), False, key if key != 0 else None, kind, tuple(words), says, width, _noun(words[0], header[0])
        )
    return None


_NO_NOUNS = frozenset("who what which where when why how this that mr mrs first last given".split())


def _noun(word: str, header: str) -> str:
    """A header that may be the word for a thing, such as *part* and *vessel*: one word, and no property or key.

    In another language it is one whose English word is known.
    """
    if not header.isascii() and word == spelled(header):
        return ""
    of_another = word in _KNOWN or word in _KEYS or word in _KINDS or word in _UNSAID or word in _NO_NOUNS
    is_word = word.isascii() and word.isalpha() and not of_another and not _is_property(word)
    return word if is_word and kind_type(word) else ""


def _said_kind(word: str) -> str:
    """What a header says that the named things are: ``company``, ``server_name``; empty for ``name`` and the like."""
    if word in _UNSAID:
        return ""
    own = word.removesuffix("_name").replace("_", " ")
    return own if word in _NAMES[len(_UNSAID) :] or own != word or is_kind(own) else ""


def _named_column(words: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """The column whose header says that it holds names, and that does."""
    for wanted in _UNSAID:
        if wanted in words and _holds_names(rows, place := words.index(wanted)):
            return place
    if not _EMPLOYERS.isdisjoint(words):
        for place, word in enumerate(words):
            if (word in _SOMEBODY or singular(word) in _SOMEBODY) and _names_rows(rows, place):
                return place
    if "company" in words and _holds_names(rows, place := words.index("company")):
        # ``leads, company``: whose company it is stands before it.
        before = (each for each in range(place) if _is_office(words[each]) and _names_rows(rows, each))
        return next(before, place)
    if (words[0] in _NAMES or (words[0].endswith("_name") and words[0] not in _NO_NAMES)) and _names_rows(rows, 0):
        return 0
    for place, word in enumerate(words[:3]):
        if word.endswith("_name") and word not in _NO_NAMES and _names_rows(rows, place):
            return place
    # ``id, company, city``: what stands behind a key names the row.
    if _is_key(words[0]) and (words[1] in _NAMES or words[1] in _THINGS) and _names_rows(rows, 1):
        return 1
    return None


def _is_key(word: str) -> bool:
    """Whether a header is that of numbers or short names by which others call a row: *No.*, *asset id*."""
    return word in _KEYS or word.endswith(("_id", "_no", "_number", "_code"))


def _is_header(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    # The columns beneath one header have it each: "Contact | Contact".
    named = [cell.lower() for place, cell in enumerate(header) if cell and (not place or header[place - 1] != cell)]
    if sum(not cell for cell in header) * 3 > len(header) or len(set(named)) < len(named):
        return False
    for cell in header:
        if cell and (len(cell) > 60 or not any(char.isalpha() for char in cell) or "@" in cell or "://" in cell):
            return False
        if cell and any(len(span.date) > 4 for span in find_dates(cell)):
            return False
    return True


def _is_certain_header(words: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line shows to be a header: usual words, or a column whose values are of another sort."""
    if sum(word in _KNOWN or word in _NAMES or word in _KEYS or word in _KINDS for word in words) >= 1:
        return True
    if any(map(_is_property, words[1:])):
        return True
    for place in range(1, len(words)):
        values = [row[place] for row in rows[:_SAMPLE] if place < len(row) and row[place].strip()]
        if len(values) >= 2 and all(is_plain_value(value) and not is_nothing(value) for value in values):
            return True
    return False


def _holds_names(rows: Sequence[Sequence[str]], place: int) -> bool:
    values = [" ".join(row[place].split()) for row in rows[:_SAMPLE] if place < len(row) and row[place].strip()]
    return bool(values) and sum(map(may_be_name, values)) * 2 >= len(values)


def _names_rows(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a column's values are names, each of one row."""
    values = [" ".join(row[place].split()) for row in rows[:_SAMPLE] if place < len(row) and row[place].strip()]
    if len(values) * 5 < 4 * min(len(rows), _SAMPLE):
        return False
    names = sum(may_be_name(value) and len(value.split()) <= 8 for value in values)
    return names * 10 >= len(values) * 8 and len(set(values)) * 10 >= len(values) * 9


def _says_kinds(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a column says what rows are: few short words, that several rows share where there are many rows."""
    values = [row[place].strip() for row in rows[:_SAMPLE] if place < len(row) and row[place].strip()]
    if not values or any(len(value.split()) > 3 or is_plain_value(value) for value in values):
        return False
    return len(values) < 4 or len({value.lower() for value in values}) * 2 <= len(values)
