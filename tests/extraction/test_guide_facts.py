"""What guides and manuals say without naming their subject: what to use and to have, whom to ask, options, described projects."""

# Sentences stand in the tables as they are written.
# ruff: noqa: E501

from __future__ import annotations

import re

import pytest

from kgfs.documents.formats.parsing import parse_document
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.facts.guides.contacts import (
    contacts_in,
    front_contacts,
    is_of_contacts,
    labelled_contacts,
    listed_channels,
)
from kgfs.extraction.facts.meeting_notes.minutes import _CHAIRED
from kgfs.extraction.facts.sentences.descriptions_of import is_label, is_project, languages_of
from kgfs.extraction.facts.structured.option_rows import header_kind, option_of_item, option_of_row
from kgfs.extraction.names import tagging
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="guides are read where spaCy is installed")

LINKS = ("SEE_ALSO", "COVERS")


def said(text: str, *others: tuple[str, str], title: str = "How to deploy the site") -> list[str]:
    """The facts of a page between two entities, with their rules; ``others`` are more pages, by title and text."""
    documents = []
    for place, (name, body) in enumerate([(title, text), *others]):
        document = parse_document(f"# {name}\n\n{body}\n".encode(), f"page{place}.md")
        document.path = f"docs/page{place}.md"
        documents.append(document)
    gazetteer = make_gazetteer([stated_names(one) for one in documents])
    found, rules = extract_by_rule(documents[0], gazetteer)
    for fact in found.facts:
        chunk = documents[0].chunks[fact.chunk - 1].text.encode()
        assert chunk[fact.start : fact.end].decode() == fact.quote
    return [
        f"{rule}: {found.entities[fact.subject].name} {fact.type} {found.entities[fact.object].name}"
        for fact, rule in zip(found.facts, rules, strict=True)
        if fact.object is not None and fact.type not in LINKS
    ]


PAGE = "How to deploy the site"


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Use Terraform to create the servers.", [f"guide.used: {PAGE} RECOMMENDS Terraform"]),
        ("You can use Ansible for the rest.", [f"guide.suggested: {PAGE} SUGGESTS Ansible"]),
        ("We recommend using Prometheus to gather figures.", [f"guide.recommended: {PAGE} RECOMMENDS Prometheus"]),
        ("You should use Kubernetes for this.", [f"guide.recommended: {PAGE} RECOMMENDS Kubernetes"]),
        ("This guide requires PostgreSQL.", [f"clause.active: {PAGE} REQUIRES PostgreSQL"]),
        ("PostgreSQL must be installed to run Grafana.", []),
        # of a page that has nothing itself
        ("To watch it, open Grafana and look at the graphs.", []),
        ("You need PostgreSQL to run the tests.", []),
        ("Make sure that Docker is installed.", []),
        ("Deploy the stack using Terraform.", []),
        ("We use Jenkins for builds.", []),
        ("The site is hosted on Netlify.", []),
        ("Do not use Jenkins.", []),
        # a name that only stands before another one, or is one of two
        ("Use Kubernetes labels to find it.", []),
        ("You should use Terraform or Ansible.", []),
        # denied, asked, of others, of one case only
        ("Do not use Jenkins to store secrets.", []),
        ("Should we use Jenkins?", []),
        ("Use a file instead of Terraform.", []),
        ("You need PostgreSQL if the tests fail.", []),
        ("Some firms use Jenkins for builds.", []),
        ("Our tools are built using Terraform.", []),
        ("The rules are written in Terraform.", []),
        ("Instead, if you have Docker installed, it may help.", []),
        # one of many, no thing
        ("You need an API for this.", []),
    ],
)
def test_advice(text: str, facts: list[str]) -> None:
    assert said(text) == facts


@tagged
@pytest.mark.parametrize("title", ["How to deploy the site", "What we deploy with", "Sharing of knowledge"])
def test_what_we_use_is_used_by_no_page(title: str) -> None:
    assert said("We use Jenkins for builds.", title=title) == []


@pytest.mark.parametrize(
    ("heading", "contacts"),
    [("Contact us", True), ("Support channels", True), ("Slack", False), ("Mailing lists", False), ("Calendar", False)],
)
def test_headings_of_contacts(heading: str, contacts: bool) -> None:
    """A list of a chat's channels says which there are."""
    assert is_of_contacts(heading) is contacts


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        # said of a team, of what is named before, of others
        ("Docker is required for members of the night team.", []),
        ("For Grafana the team needs to have Docker installed.", []),
        ("When they come to work, open Jenkins.", []),
        # a section about another thing has it, the page does not
        ("It is short.\n\n## Grafana\n\nUse Terraform to create it.", []),
        ("It is short.\n\n## Last steps\n\nUse Terraform to create it.", [f"guide.used: {PAGE} RECOMMENDS Terraform"]),
        ("Ask in Slack: it helps.", []),
    ],
)
def test_of_whom_a_sentence_speaks(text: str, facts: list[str]) -> None:
    assert said(text) == facts


@tagged
def test_what_a_thing_has_its_readers_use_it_does_not_use() -> None:
    assert said("Lamper is a tool that lights lamps.\n\nUse Terraform to create the lamps.", title="Lamper") == []


@tagged
def test_contacts_belong_to_the_page() -> None:
    text = (
        "Ask in the #deploy-help channel on Slack. Nobody sees what kubectl did with Make.\n\n```bash\n$ kubectl apply -f site.yaml\n"
        "$ kubectl get pods\n$ curl -s https://lamp.example\n# make changes\n```\n\n```yaml\nhelm: upgrade now\n```\n"
    )  # what an example starts the page says nothing of
    assert said(text) == [f"guide.contact: {PAGE} HAS_CONTACT #deploy-help"]


@tagged
def test_contacts_of_sections_are_not_the_page_s() -> None:
    ask = "Ask in #lamp-help for an account.\n"
    assert said(f"It burns.\n\n## Old lamps\n\n{ask}") == []
    assert said(f"It burns.\n\n## Getting help\n\n{ask}") == [f"guide.contact: {PAGE} HAS_CONTACT #lamp-help"]


@pytest.mark.parametrize(
    ("quote", "contacts"),
    [
        ("Write to [Night Watch](mailto:watch@ships.org).", [("Night Watch", "watch@ships.org")]),
        ('<a href="mailto:watch@ships.org?subject=Lamps">Night Watch</a>', [("Night Watch", "watch@ships.org")]),
        ("[watch@ships.org](mailto:watch@ships.org)", []),
        ('Ask {% slack_channel "watch" "the Night Watch" %}.', [("Night Watch", "#watch")]),
        (
            "- Night Watch: watch@ships.org or #night-watch",
            [("Night Watch", "#night-watch"), ("Night Watch", "watch@ships.org")],
        ),
        ("**[Night Watch](watch.md)** - Contact: watch@ships.org", [("Night Watch", "watch@ships.org")]),
        ("Contact: watch@ships.org", [("", "watch@ships.org")]),
        # words of a sentence, an example
        ("Night Watch: write to watch@ships.org before you sail", []),
        ("For example: watch@example.com", []),
    ],
)
def test_contacts_with_their_labels(quote: str, contacts: list[tuple[str, str]]) -> None:
    assert [(label, one.name) for label, one in labelled_contacts(quote)] == contacts


@pytest.mark.parametrize(
    ("item", "channels"),
    [
        ('{% slack_channel "lamps" %} (all of us)', ["#lamps"]),
        ('{% slack_channel "lamps" %}, {% slack_channel "#oil" %}.', ["#lamps", "#oil"]),
        ("[#lamps](https://acme.slack.com/lamps): where lamps are discussed", ["#lamps"]),
        ("Say hello in #lamps", []),
    ],
)
def test_lists_of_channels(item: str, channels: list[str]) -> None:
    assert [one.name for one in listed_channels(item)] == channels


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("## Slack channels\n\n- #lamps: for lamps\n- #oil\n", []),  # of a page that lists them, it covers them
        ("Ask [Grafana](mailto:lamps@ships.org).", ["guide.labelled_contact: Grafana HAS_CONTACT lamps@ships.org"]),
        ("- Grafana: lamps@ships.org\n- Others\n", ["guide.labelled_contact: Grafana HAS_CONTACT lamps@ships.org"]),
        (
            "- [Grafana](grafana.md)\n  - Contact: lamps@ships.org\n- Others\n",
            ["guide.labelled_contact: Grafana HAS_CONTACT lamps@ships.org"],
        ),
        ("- Whoever it is: lamps@ships.org\n", []),
    ],
)
def test_contacts_of_what_they_are_labelled_with(text: str, facts: list[str]) -> None:
    assert said(f"It burns.\n\n## Old lamps\n\n{text}") == facts


@tagged
@pytest.mark.parametrize(
    ("title", "facts"),
    [
        ("Editing texts in Grafana", ["pages.about: Editing texts in Grafana ABOUT Grafana"]),
        ("How to light Tarnic lamps", ["pages.about: How to light Tarnic lamps ABOUT Tarnic"]),
        ("How to work at Acme", []),  # where, not on what
        ("How to light lamps with Grafana Actions", []),  # another thing
        ("Grafana", []),  # it is the page of it
        ("How to light lamps", []),
    ],
)
def test_what_pages_are_about_by_their_titles(title: str, facts: list[str]) -> None:
    others = [("Tarnic", "Tarnic is a tool for lamps."), ("Acme", "Acme is a company that makes lamps.")]
    assert said("It is short.", *others, ("Grafana", "Grafana is a tool."), title=title) == facts


@tagged
def test_news_tell_of_others() -> None:
    assert said("Use Terraform to create the servers.", title="Lamp Newsletter") == []
    assert said("For more, write an email to lamps@grafana.com.", title="Lamp Newsletter") == []


@tagged
def test_who_wrote_what_an_item_links_to() -> None:
    item = "- [How We Sail at Night](https://x.org/night) by Maria Fischer, Peter Novak and Anna Schmidt."
    work = "How We Sail at Night"
    assert said(item) == [
        f"credits.byline: {name} WROTE {work}" for name in ("Maria Fischer", "Peter Novak", "Anna Schmidt")
    ]
    assert said("- [How We Sail at Night](https://x.org/night) by boat. Maria Fischer sails.") == []


@tagged
def test_owner_in_front_matter() -> None:
    document = parse_document(b"---\ntitle: How to deploy\nowner_slack: '#ops'\n---\n\nDeploy it on Monday.\n", "a.md")
    document.path = "a.md"
    found, rules = extract_by_rule(document, make_gazetteer([stated_names(document)]))
    assert "guide.owner" in rules
    fact = found.facts[rules.index("guide.owner")]
    assert fact.object is not None and found.entities[fact.object].name == "#ops"
    assert fact.quote == "owner_slack: '#ops'"


@tagged
def test_options_of_a_table_are_of_the_thing_or_described_on_the_page() -> None:
    table = "| Option | Description |\n|---|---|\n| `maxBodyBytes` | How much is read. |\n| `name` | Its name. |\n"
    assert said(table, title="Setting up lamps on a ship") == [
        "guide.option: maxBodyBytes DESCRIBED_IN Setting up lamps on a ship"
    ]
    thing = "Lamper is a software tool that lights lamps.\n\n" + table
    assert said(thing, title="Lamper") == ["guide.option: Lamper HAS_OPTION maxBodyBytes"]


@tagged
@pytest.mark.parametrize(
    ("item", "facts"),
    [
        ("[lamp-rs](https://github.com/a/lamp-rs) - Fast client for Kubernetes, written in Rust.",
         ["described.tool_for: lamp-rs MADE_FOR Kubernetes", "described.written_in: lamp-rs WRITTEN_IN Rust"]),
        ("[Lampion](https://lampion.io) - Open source alternative to Splunk.", ["described.alternative: Lampion ALTERNATIVE_TO Splunk"]),
        ("[lampy](https://github.com/a/lampy) - Toolbox built on top of PyTorch.", ["described.based_on: lampy BASED_ON PyTorch"]),
        ("[lampy](https://github.com/a/lampy) - PyTorch implementation of lamps.", ["described.made_with: lampy USES PyTorch"]),
        ("[lampy](https://github.com/a/lampy) - Lamp cache powered by Redis.", ["described.uses: lampy USES Redis"]),
        ("[lampy](https://github.com/a/lampy) - Simple module for your Electron application.", ["described.tool_for: lampy MADE_FOR Electron"]),
        ("[lampy](https://github.com/a/lampy) - Lamp explorer by Google.", ["described.maker: Google DEVELOPED lampy"]),
        ("[lampy](https://github.com/a/lampy) - Lamp tools that are included by Google.", []),
        ("[lampy](https://github.com/a/lampy) - SMTP client for Deno.", ["described.tool_for: lampy MADE_FOR Deno"]),
        ("[lampy](https://github.com/a/lampy) - npm package and CLI tool.", []),
        ("[lampy](https://github.com/a/lampy) - Python library for lamps.", ["described.for_language: lampy MADE_FOR Python"]),
        # one text of many, a sentence for a label, what is not so
        ("[Lamps](https://lampion.io/blog/2020/lamps) - Post on a client for Kubernetes.", []),
        ("[Why lamps are a good thing to have](https://lampion.io) - Client for Kubernetes.", []),
        ("[lampy](https://github.com/a/lampy) - Toolbox that is not based on PyTorch.", []),
        ("[lampy](https://github.com/a/lampy) - Bindings used in lamp's Haskell implementation of light.", []),
    ],
)  # fmt: skip
def test_described_projects(item: str, facts: list[str]) -> None:
    assert said(f"- {item}\n", title="Things that I found") == facts


@tagged
def test_links_are_ends_of_clauses() -> None:
    found = said(
        "[Lamp policy](page1.md) is owned by [Night Watch Team](page2.md).",
        ("Lamp policy", "It says when lamps burn."),
        ("Night Watch Team", "The Night Watch Team is a team that watches."),
    )
    assert found == ["relations.owned_by: Night Watch Team OWNS Lamp policy"]


@pytest.mark.parametrize(
    ("text", "contacts"),
    [
        ("Ask in #lamp-help on Slack.", ["#lamp-help"]),
        ("Email lamps@ships.org for help.", ["lamps@ships.org"]),
        ("For example, email ann@example.com.", []),
        ("See issue #lamp in the list.", []),
        ("Room addresses look like #lamp-ops:ships.org in this chat.", []),
        ("Her address is lamps@ships.org.", []),
        ("Alerts go to #lamp-ask on Slack.", []),
        ("Reach out to 18lamps@ships.org.", ["18lamps@ships.org"]),
        ('Hop into {% slack_channel "lamp-help" %} for help.', ["#lamp-help"]),
    ],
)
def test_contacts(text: str, contacts: list[str]) -> None:
    assert [one.name for one in contacts_in(text, text)] == contacts


@pytest.mark.parametrize(
    ("item", "contacts"),
    [
        ("Slack: [#lamp-design](https://acme.slack.com/messages/lamp-design)", ["#lamp-design"]),
        ("[Mailing list](https://groups.google.com/forum/#!forum/acme-lamps)", ["acme-lamps@googlegroups.com"]),
        ("[Mailing list](https://lists.acme.org/mailman/listinfo/lamps)", ["lamps@lists.acme.org"]),
        ("[@acme/lamp-bugs](https://github.com/orgs/acme/teams/lamp-bugs) - Bugs", ["@acme/lamp-bugs"]),
        ("[Recordings](https://video.acme.org/lamps)", []),
    ],
)
def test_contacts_beneath_their_heading(item: str, contacts: list[str]) -> None:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", item)
    assert [one.name for one in contacts_in(text, item, listed=True)] == contacts


@pytest.mark.parametrize(
    ("key", "value", "contacts"),
    [
        ("owner_slack", '"#lamp-help"', ["#lamp-help"]),
        ("questions", "[lamp-help, lamps@ships.org, Book a time]", ["#lamp-help", "lamps@ships.org"]),
        ("owner", "lamp-team", []),
        ("keywords", "[lamp-help]", []),
    ],
)
def test_contacts_of_front_matter(key: str, value: str, contacts: list[str]) -> None:
    document = parse_document(f"---\n{key}: {value}\n---\n# Lamps\n\nThey burn.\n".encode(), "lamps.md")
    assert [one.name for one in front_contacts(document.text or "", document.front_matter)] == contacts


@tagged
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("## Contact\n\n- Slack: #lamp-help\n", [f"guide.contact: {PAGE} HAS_CONTACT #lamp-help"]),
        ("For questions about Grafana, ask in #lamp-help.", ["guide.contact: Grafana HAS_CONTACT #lamp-help"]),
        # a part of the page that has no name of its own
        ("## The night shift\n\nAsk in #lamp-help.", []),
    ],
)
def test_whom_to_ask_about_what(text: str, facts: list[str]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    ("row", "name"),
    [
        ("| `maxBytes` | how many |", "maxBytes"),
        ('| <a id="opt-a" href="#a">`lamps.<name>.size[n]`</a> | how large |', "lamps.<name>.size[n]"),
        ("| `--force` | always |", "--force"),
        ("| LOG_LEVEL | how much |", "LOG_LEVEL"),
        ("| name | its name |", None),
        ("| two words | no option |", None),
    ],
)
def test_options_of_rows(row: str, name: str | None) -> None:
    found = option_of_row(row, ("HAS_OPTION", "Setting"))
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("| Field | Default |", "Setting"),
        ("| Field | Type |", "Identifier"),
        ("| Data Key | Type |", "Identifier"),
        ("| Environment variable | Use |", "Setting"),
        ("| Metric | Type |", "Metric"),
        ("| Command | Use |", "Command"),
        ("| Person | Role |", None),
        ("| Field of study at the time | Year |", None),
    ],
)
def test_headers_of_options(header: str, kind: str | None) -> None:
    found = header_kind(header)
    assert (found[1] if found else None) == kind


@pytest.mark.parametrize(
    ("item", "heading", "name"),
    [
        ("`--force`: go on", "Lamps", "--force"),
        ("`log_level` - how much", "Settings", "log_level"),
        ("`log_level` - how much", "Lamps", None),
        ("Use `--force` to go on", "Options", None),
        ("* `podIP` - replace with `IP`", "Keys", None),
        ("* `podList` - use `pods` instead", "Fields", None),
    ],
)
def test_options_of_items(item: str, heading: str, name: str | None) -> None:
    found = option_of_item(item, (heading,))
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Endpoint metrics", "Metric"),
        ("Metrics of the endpoint", "Metric"),
        ("Lamp endpoint", "Endpoint"),
        ("Options of the command", "Setting"),
    ],
)
def test_the_head_of_a_heading_says_what_its_items_are(heading: str, kind: str) -> None:
    found = option_of_item("`lamps_lit_total`: how many were lit", (heading,))
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("Tool written in Go and Rust.", ["Go", "Rust"]),
        ("Swift library for lamps.", ["Swift"]),
        ("A swift way to go on.", []),
        ("Ink to JavaScript compiler.", []),
        ("Go to the page of the library.", []),
        ("Tool that was not written in Rust.", []),
    ],
)
def test_languages(text: str, languages: list[str]) -> None:
    assert [one.language for one in languages_of(text)] == languages


def test_labels_and_sites_of_projects() -> None:
    assert is_label("Lampion") and is_label("lamp-rs") and is_label("Argo CD Operator")
    assert not is_label("why we did this") and not is_label("What is a lamp really?")
    assert is_project("https://github.com/a/b") and is_project("https://lampion.io/")
    assert not is_project("https://lampion.io/blog/post") and not is_project("https://twitter.com/a/status/1")


def test_who_chaired_is_found_in_linear_time() -> None:
    found = _CHAIRED.search("Jane Q. Doe chaired the meeting")
    assert found is not None and found["whom"] == "Jane Q. Doe"
    # Optional spaces between its words made one line of capitals take minutes.
    assert _CHAIRED.search("A" * 20_000 + " " + "Ab " * 5_000) is None
