"""What a sentence says that its subject is, and the type of entity that goes with it: ``is a 1982 film`` is a ``Work``.

Used for the subjects of pages (``pages``) and for what leads say (``kgfs.extraction.facts``); pure, English. Nothing is
parsed: this reads the first sentence of every page before any worker is asked. A noun that is not listed shows no type.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgfs.extraction.names.wordlists import words

_NOUNS = {
    "Person": """
        blacksmith clerk electrician mechanic midwife plumber shoemaker welder
        abbot abolitionist academic activist actor actress administrator admiral adventurer agent airman ambassador
        analyst anchor anchorman animator announcer archbishop archduchess archduke archer architect aristocrat
        artist assassin astronaut athlete attorney author aviator back bandleader banker baron baroness baseman
        bassist batsman billionaire billionairess biographer bishop blogger boxer boy brother builder
        businessman businessperson businesswoman butcher caliph candidate captain cardinal carpenter cartoonist
        catcher centre-half ceo chairholder chairman chairperson chairwoman champion chancellor character chef
        chemist chief child chronicler churchman cinematographer civilian clergyman co-founder coach cofounder
        colonel columnist comedian comedienne commander commentator commissioner composer conductor congressman
        congresswoman consort consultant coordinator co-ordinator contestant contributor correspondent councillor
        counsel count countess
        courtier cousin creator cricketer criminal critic cyclist dancer daughter dean defenseman deputy descendant
        designer detainee detective dictator diplomat director dj doctor dramatist drummer duchess duke
        earl editor educator emperor employee empress engineer engraver entertainer entrepreneur essayist executive
        explorer farmer father feminist fighter facilitator figure figurehead filmmaker financier firefighter fisherman
        footballer forward founder freelancer friar frontman fugitive fullback general geographer girl goalkeeper
        god goddess golfer governor granddaughter grandson guard guitarist gymnast halfback harpist hero heroine
        historian host humanist humorist hunter husband illustrator imam industrialist infielder inmate instructor
        inventor investigator investor jockey judge jurist justice keyboardist king knight lawmaker lawyer leader
        lecturer legislator librarian lieutenant linebacker linguist lord loser magician magistrate magnate major
        man manager marquess marshal mathematician mayor medalist member mentor merchant midfielder minister
        missionary model monarch monk mother mountaineer murderer musician native naturalist nephew niece nobleman
        noblewoman nominee novelist nun nurse officer official operator orator organist organizer orientalist
        outfielder outlaw owner painter parliamentarian pastor patriarch patron performer philanthropist philosopher
        photographer physician pianist pilot pioneer pirate pitcher player playwright poet policeman politician pope
        porn-actress preacher premier presenter president priest priestess prince princess principal prisoner
        producer professor programmer prophet prosecutor psychiatrist psychologist publicist
        quarterback queen rabbi racer rapper rebel receiver recipient refugee regent reporter representative
        researcher resident reverend revolutionary rider rower ruler runner sailor saint samurai saxophonist scholar
        scientist screenwriter sculptor sculptress secretary senator sergeant settler sheriff shogun showman singer
        singer-songwriter sister skater skier slave socialite soldier solicitor son songwriter soprano speaker
        spokesman spokesperson spokeswoman sportscaster sportsman sportsperson sportswoman spouse sprinter spy
        statesman statistician strategist striker student stuntman sultan superintendent surgeon surveyor swimmer
        swordsman teacher technician tenor theologian theorist trainer translator traveler treasurer trumpeter twin
        tycoon umpire vicar vice-president victim violinist vocalist volunteer warlord warrior widow wife winger
        winner woman worker wrestler writer youtuber zoologist
        approver chair contact delegate expert liaison maintainer moderator observer participant reviewer shepherd
        steward
    """,
    "Organization": """
        academy administration agency airline airline-company airlines alliance army association authority automaker
        band bank battalion boyband brewery brigade broadcaster broadcaster-company brokerage brotherhood bureau
        business cabinet carrier cartel chain channel chapter charity choir church clinic club co-operative
        coalition collective college commission committee community-college company confederacy confederation
        conglomerate congregation conservatory consortium constabulary contractor-company cooperative corporation
        council court crew customer-success-team daily-newspaper-publisher dealership delegation department
        developer-company diocese division-of-company duo employer ensemble enterprise faction faculty federation
        firm fleet foundation franchise fraternity fund girlgroup government group guild high-school hospital-group
        house-of-parliament institute institution insurer intelligence-agency joint-venture label laboratory
        laboratory-group league legislature lender maker manufacturer military ministry monastery movement
        multinational museum-operator navy network network-of-schools newsroom ngo non-profit nonprofit office
        operator orchestra order organisation organization parliament partnership party platoon polytechnic
        practice-group producer-company programme-office publisher-company quartet quintet reformatory regiment
        retailer school secret-society secretariat sect seminary senate society sorority squad squadron start-up
        publisher developer promoter
        startup sub-unit subsidiary subunit supergroup supplier syndicate team think-tank thinktank trade-union
        division sig taskforce task-force tribunal trio troupe union unit university vendor workgroup working-group
    """,
    "Location": """
        archipelago area arrondissement atoll barangay basin bay beach borough butte canal canton cape
        cape-peninsula capital cave city civil-parish coast colony commune community comune conservation-area
        constituency continent corner corregimiento country county county-seat county-town crater creek crossroads
        department-of-france desert district duchy electorate emirate empire enclave estuary exclave fell fjord
        fjord-lake forest ghost-town glacier gorge governorate gulf hamlet harbor harbour headland heath hill
        historic-district indian-reservation island islands isle isthmus kebele kingdom lagoon lake land locality
        loch marsh massif meadow mesa metropolis metropolitan-area moon moor mountain mountains municipality nation
        national-park neighborhood neighbourhood oasis oblast ocean okrug parish park pass peak peninsula place
        asterism constellation galaxy nebula
        plain planet plateau polder pond port prefecture principality province pueblo raion range ranges ravine
        region republic reserve reservoir resort ridge river riverbank rural-locality sea seaport settlement
        settlement-site shire spring square state statistical-area strait stream street subcontinent subdistrict
        subregion suburb summit swamp territory town townland township tributary uyezd valley village voivodeship
        volcano wadi ward waterfall watershed wilderness woodland woreda zone
    """,
    "Facility": """
        abbey aerodrome airbase airfield airport amphitheater amphitheatre apartment-building aquarium aqueduct arch
        arena asylum auditorium ballpark barracks base basilica bazaar boardwalk bridge building bus-station camp campus
        casino castle cathedral cemetery center centre chapel chateau château cinema citadel clock clock-tower
        complex courthouse dam depot dock expressway facility factory fairgrounds farm farmhouse fort fortress
        freeway gallery garage garden gate gym gymnasium highway hospital hotel house inn interchange intersection
        jail landmark library lighthouse mall manor mansion market marketplace mausoleum memorial mill mine monument
        mosque motorway museum nightclub observatory opera-house pagoda palace pavilion pier planetarium
        plant-building plaza power-station prison pub pyramid quarry racecourse racetrack raceway rail-trail railway
        rapid-transit-system refinery residence restaurant rink road route runway sanatorium shipyard shrine site
        skatepark skybridge skyscraper speedway stadium station store studio studios subway-station synagogue temple
        terminal theater theatre tomb tower trail tramway tunnel velodrome venue viaduct villa warehouse windmill
        zoo
    """,
    "Work": """
        adaptation album anime anthem anthology anthology-series aria artbook article audiobook autobiography b-side
        ballad ballet bibliography biography biopic blockbuster blog blog-post board-game book booklet
        broadcast-series cantata card-game cartoon catalog catalogue chronicle column comedy comic comic-book comics
        compilation composition concerto cover-version cut-scene daily diary dictionary discography docudrama
        documentary docuseries drama drawing dub duology dvd edition encyclopaedia encyclopedia engraving ep epic
        episode essay expansion extended-play fable fanzine feature-film fiction film filmography franchise-work
        fresco game gazette graphic-novel guidebook handbook hit hymn journal literature-work lithograph live-album
        lp magazine manga manhwa manual manuscript masterpiece melodrama melodramma memoir memorandum mini-album
        mini-series miniseries mixtape mockumentary monograph monthly mosaic movie mural musical newsletter
        newspaper novel novelette novella opera operetta opéra oratorio overture painting pamphlet paper periodical
        photograph platformer play playbook podcast poem portrait prequel print publication quarterly reboot
        record-album recording remake remix report requiem rhapsody rpg saga screenplay screenplays sculpture sequel
        serial series shooter short-story show single sitcom sketch soap soap-opera sonata sonatina song sonnet
        soundtrack soundtrack-album special spin-off spinoff statue story strip studio-album suite symphony tabloid
        tale telenovela tetralogy textbook thriller track tragedy treatise trilogy tv-series variety-show video-game
        videogame volume webcomic webseries website-work weekly western whitepaper yearbook
    """,
    "Product": """
        aircraft airliner app application automobile battleship beer beverage boat bomb bomber brand browser bus
        camera cannon car carbine chatbot cheese chipset cigarette clothing-line cocktail cocktail-brand
        compiler computer console cpu crossover cruiser database debugger destroyer device dialer
        distribution-software drink drone editor-software engine ferry fighter-aircraft firearm firmware framework
        frigate generator gpu gun handgun handset hatchback helicopter howitzer ide instrument-package interpreter
        kernel kit laptop limousine line-of-cars liqueur locomotive machine-gun machine-pistol mainframe malware
        microcontroller microprocessor minicomputer minivan missile model-of-car module mortar motorcycle multi-tool
        musket operating-system os package perfume phone pistol platform plug-in plugin preprocessor processor product
        programming-language protocol-suite radio raincoat repository revolver rifle roadster robot rocket runtime
        satellite schooner sdk search-engine sedan server service service-pack set-of-tools ship shotgun smartphone
        smartwatch software spacecraft spreadsheet steamboat submarine suite-of-tools supercar suv sword synthesizer
        system-software tablet tank telescope telescope-array tool toolkit torpedo toy tram tram-car truck tugboat
        typewriter vaccine van vehicle vessel warship weapon web-application web-browser webapp
        website wheel whiteboard wine yacht
        add-on addon api backend bot bundler cli controller daemon emulator formatter frontend hypervisor installer
        lander linter orbiter rover space-shuttle spaceplane
        microservice middleware sdk simulator toolchain transpiler webserver wrapper
    """,
    "Technology": """
        format protocol cipher codec cryptosystem encoding specification specifications
    """,
    "Command": """
        alias-command applet built-in builtin cmdlet cmdlets command directive macro subcommand
    """,
    "Event": """
        accident all-star-game ambush anniversary assassination assault attack auction award-ceremony battle bid
        biennale blizzard bombardment bombing bowl campaign campaign-rally carnival celebration century ceremony
        championship championships collapse competition concert conclave conference conflict conflicts congress contest
        convention coronation coup crash crisis crusade cup cyclone debate decade derby disaster draft earthquake
        election election-campaign elections engagement epidemic era eruption event excavation exhibition expedition
        exposition fair famine fest festival final finals fire flight flood gala game-match general-election
        genocide grand-prix hackathon hearing heist holiday hunt hurricane incident insurgency invasion kidnapping
        landing landings landslide launch-event marathon massacre match meeting mission murder mutiny offensive
        olympics operation outbreak pageant pandemic parade playoffs plot pogrom protest protests rally rebellion
        referendum regatta retreat-event revolt revolution riot riots robbery rodeo scandal season shipwreck
        shooting siege skirmish space-mission spaceflight storm strike summit-meeting super-bowl symposium tour
        tournament trial trials typhoon uprising war wedding week-of-events workshop world-cup
    """,
    "Species": """
        alga amphibian angiosperm ant antelope ape arachnid arthropod bacteria bacterium bat bean bear bee beetle
        beetles bird breed breeds bulldog bush butterfly cactus cat cattle cephalopod conifer crab crocodile
        crustacean crustaceans cultivar cyanobacteria deer dinosaur dog dolphin duck eagle family-of-plants fern
        fish fishes flower fly frog fungi fungus genera genus goose grape grass gull hawk herb horse hound
        hybrid-plant infraorder insect invertebrate kangaroo landrace lichen lizard mammal marsupial mastiff mite
        mollusc mollusk monkey moss moth mushroom octopus orchid owl palm parasite parrot perennial pig pine plant
        pony poodle predator primate raptor reptile rodent rose-cultivar salamander seabird seal seaweed shark sheep
        shrub shrubs snail snake spaniel sparrow species spider sponge squid subfamily subgenus suborder subspecies
        succulent superfamily superorder terrier tick toad tree tribe-of-plants turtle variety-of-plant vine virus
        wasp weed whale wolf worm
    """,
    "Law": """
        amendment bill constitution convention-treaty decree directive-law edict ordinance regulation statute treaty
    """,
    "Group": """
        caste clan demonym diaspora dynasty ethnicity family lineage nationality nomads people peoples tribe tribes
    """,
    "Language": """
        creole dialect language languages pidgin
    """,
    "Concept": """
        abbreviation ability account acronym act activity agreement algorithm allele analysis approach argument
        arrangement art attribute award behavior belief benefit branch cake calculus carousel category cell
        certificate
        certification chemical class code compound concept condition constant crime cuisine currency custom
        dance data degree delicacy discipline disease dish disorder distribution doctrine document effect
        element enzyme equation factor feature field file folder font form formation framework-of-ideas
        function gene genre grade grammar hypothesis idea identifier ideology illness infection instrument
        integer interface interview issue item job key knowledge law level list matrix measure mechanism medal
        medication medicine metal method methodology metric mineral mode name notation notion number object occupation
        option page parameter pattern phase phenomenon philosophy phrase plan point policy position practice
        principle prize problem procedure process profession program programme proof property proposal protein
        quantity rank rate ratio reaction recipe religion requirement right rite ritual role rule
        salary schema science score script sector sense sequence set setting sign skill slang sport stage
        screen standard status step strategy structure style substance surface surname syndrome syntax system tax
        technique
        technology template tense term test text theorem theory therapy title topic tradition treatment trophy
        type unit-of-measure user value variable view vitamin word workflow
    """,
}
_TYPES = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_COMPOUND_NOUNS = {
    "Organization": """
        air force, armed forces, credit union, joint venture, law firm, news agency, police force, political party,
        public library, radio network, radio station, record label, school district, television network, television
        station, think tank, think-and-do tank, think/do tank, trade union, tv station, working group
    """,
    "Group": """
        ethnic group
    """,
    "Language": """
        language family
    """,
    "Concept": """
        age group, api object, api resource, b tree, binary tree, building block, building blocks, cluster
        resource, computer network, custom resource, custom resource definition, data store, decision tree,
        dependency tree, directory tree, document store, event store, file store, file tree, hash tree, key
        store, key-value store, kubernetes resource, memory store, merkle tree, namespace resource, object
        store, parse tree, prefix tree, radix tree, search tree, secret store, session store, spanning tree, sql
        store, starting point, state store, street address, syntax tree, trust store, value store, vector store,
        verkle tree
    """,
    "Program": """
        fellowship program, global program, grant program, internship program, internship programme, mentorship
        program, mentorship programme, mentoring program, scholarship program
    """,
    "Technology": """
        data format, encoding scheme, encryption scheme, file format, hash function, industry standard,
        international standard, markup language, open standard, programming language, proof system,
        query language, scripting language, signature scheme, technical standard, web standard
    """,
    "Product": """
        chat service, computer program, linux distribution, bsd distribution, unix distribution,
        file system, game engine, javascript library, operating
        system, python library, search engine, software library, software
        program, web server, git client, http client, email client, mail client, api client, ssh client, chat client,
        task runner, test runner, job runner, load balancer, message broker, message queue, job queue, build system,
        database system, data store, key-value store, object store, web service, service mesh, container runtime,
        container registry, package registry, python package, npm package, node module, ruby gem, rust crate
    """,
    "Facility": """
        amusement park, baseball park, cricket ground, football ground, golf course, office building, railway line,
        shopping center, shopping centre, theme park
    """,
    "Location": """
        cave system, census-designated place, lake system, mountain system, river system, main-belt asteroid,
        minor planet, mountain range, rural district
    """,
    "Work": """
        comic book, comic strip, extended play, field guide, radio program, radio programme, short story, style
        guide, song cycle, talk show, television program, television programme, tv program, user guide, video game,
        white paper
    """,
    "Event": """
        boat race, class action, cycling race, football season, horse race, military operation, motor race, stage
        race
    """,
    "Law": """
        federal act, federal law
    """,
    "Species": """
        apple cultivar, grape variety
    """,
    "Person": """
        fictional character, pen name, stage name
    """,
}
_MANAGED = (
    "package file window password task process device boot display session memory download font version dependency "
    "environment secret state cluster plugin plug-in certificate container volume clipboard bookmark reference citation"
).split()
NETWORKS = frozenset(
    "delivery distribution private area neural computer peer peer-to-peer mesh virtual wireless cellular overlay "
    "blockchain p2p storage".split()
)
"""What stands before *network* where that is a technique."""
_COMPOUNDS = (
    {f"{one} manager": "Product" for one in _MANAGED}
    | {f"{one} network": "Technology" for one in NETWORKS}
    | {" ".join(pair.split()): kind for kind, pairs in _COMPOUND_NOUNS.items() for pair in pairs.split(",")}
)
"""Two words whose last one alone would show something else."""
_TYPES |= {"operations": "Concept", "places": "Concept", "utility": "Product"}
_BEFORE_NOUNS = frozenset(
    "single double daily weekly monthly quarterly yearly musical comic native principal chief major general official "
    "representative western live short back forward back-end front special feature".split()
)
"""Nouns that are adjectives where another noun follows: a *single sign-on solution* is no record."""
_EXCEPTIONS = frozenset("list mist twist checklist playlist wishlist gist wrist fist".split())
_PERSON_ENDINGS = ("ologist", "ician", "ographer", "ist", "wright", "maker", "sman", "swoman", "player")
_MAKERS = frozenset("automaker carmaker drugmaker toymaker".split())

_COPULA = re.compile(r"\b(?:is|are|was|were|refers to|means|denotes|stands for)\b")
_NAMED_KIND = re.compile(r"(?:The )?(?P<name>\S+(?: \S+){0,5}?) (?P<kind>[a-z][\w-]*(?:[^s\W]|ss)) [a-z]{3,}s\b")
_COMMAND_IS = re.compile(r"The (?P<name>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:sub)?command (?:is|can|may|will)\b")
_BEFORE = re.compile(
    r"\s*(?:(?:also|currently|formerly|originally|primarily|mainly|either|both|best known as|generally|usually|now|"
    r"typically|probably|simply|essentially|historically|technically|perhaps|still|once|considered|known as|"
    r"regarded as)\s+)*"
    r"(?:(?:one|some|any|each|either|another|part|example|member|type|kind|form|sort|name|title|term|set|series|group|pair|"
    r"collection|family|class|subset|variety|version|edition|branch|piece)\s+(?:of|for)\s+(?:the\s+)?)?"
    r"(?:an?|the|any|several|two|three|four)?\s*"
    r"(?:(?:type|kind|form|sort|(?:code ?)?name|title|term|set|pair|member|class|version|example|piece|subset|variety)"
    r"\s+(?:of|for|given to)\s+(?:the\s+|an?\s+)?)?"
)
_STOP = re.compile(
    r"(?:^|\s)(?:of|in|on|at|by|for|from|with|to|that|which|who|whose|whom|where|when|and|or|but|as|about|into|between|"
    r"located|situated|based|directed|written|produced|created|developed|published|released|held|used|known|made|set|"
    r"composed|starring|founded|designed|operated|owned|given|run|built|born|played|recorded|designated|named|featuring|containing|"
    r"consisting|implementing|offering|allowing|enabling|serving|living|working|operating|providing|near|within|during|under|along|through|over|against|"
    r"is|was|are|were|has|had|have|can|may|will|per|than|via|without|outside|across|around|since|until|after|before|the|an?|not|"
    r"native|endemic|set|native|going|part|best|originally|formerly|"
    r"(?:dedicated|devoted) (?:to|towards?)|responsible for|tasked with|focused on)(?=\s|$)|[,;:()–—]|\.(?!\w)"
)
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|\d{4}s?")
_GERUND = re.compile(r"[a-z]{3,}ing\s+(?:an?|the|our|your|their|its|that|how|what|with|to|on|in)\b")
_DOING = re.compile(r" [a-z]{3,}ing$")
"""*A podcast publishing and monetization service* is no podcast."""
_SHORT_FORM = re.compile(r" \([A-Z][A-Za-z&.-]{1,9}\)| \([^()]{1,15}\)(?=,)")
_BASED = re.compile(
    r" based (?=[a-z])(?!(?:in|on|at|out|near|off|around|upon|and|or|by|mainly|mostly|primarily|largely|loosely)\b)"
)
_UNCLOSED = re.compile(r" \([^()]{1,60}?(?= (?:is|are|was|were) (?:an?|the|one)\b)")
"""A bracket that a lead forgets to close before its verb."""
_SIZES = re.compile(r"\b(small|medium|mid)(?:-sized)?[ -]to[ -](?:medium|mid|large)(?:-sized)?\b")
"""*A small to medium-sized tree*."""
_SEVERAL_EVENTS = re.compile(
    r" ?a (?:[a-z-]+ )?series of (?:[\w-]+ ){0,3}?(?:attacks|battles|conflicts|events|protests|riots|strikes|wars)\b"
)
_SEVERAL_PEOPLE = re.compile(
    r" (?:two|three|four|five|six|seven) (?:[\w-]+ ){0,4}?(?P<what>[a-z]+)s"
    r"(?= (?:and|at|from|in|of|that|who|with)\b|[,.:;]|$)"
)
"""*The Lee sisters are two American tennis players*."""
REACH = 280
"""Characters of a sentence in which its verb is looked for: brackets and other names may stand before it."""


_RIGHTS = ("authority", "authorization", "permission", "right", "agreement")
_SOFTWARE = re.compile(
    r"(?i)\b(?:software|cloud|cloud-based|web-based|browser-based|online|open[- ]source|file|backup|ticketing|tracking|"
    r"e-?mail|messaging|database|monitoring|payroll|timekeeping|content management|version control|video conferencing|"
    r"collaboration)"
    r" (?:[\w-]+ ){0,2}(?:system|service|solution|suite|client|dashboard)$"
    r"|\b(?:information|management|booking|ordering|reporting|records?|ticket|billing|inventory|control) system$"
    r"|\b(?:[a-z]{3,}ing|engine|parser|graphics|network|math|(?:java|type)?script|react|python|java|ruby|rust|go|c\+\+|php|css|ui|utility|component|client|class|"
    r"template|standard|shared|lightweight|open[- ]source) (?:[\w-]+ )?library$"
)
_OPERATOR = re.compile(r"(?i)\b(?:kubernetes|k8s|openshift) (?:[\w-]+ )?operator$")
"""A program that looks after others, and nobody who runs something."""
_ON_SCREEN = re.compile(
    r"(?i)\b(?:browser-based|web-based|cloud-based|cloud|online|virtual|streaming|recording software)\b"
)
"""*A browser-based live streaming studio* is no building."""
_MADE = re.compile(
    r",? (?:(?:that|which) (?:is|was) )?(?:built|designed|developed|hosted|maintained|made|operated|provided|run|sold|"
    r"supplied|written) by\b"
)
"""Behind *system*: somebody runs it, so it is no system of thoughts or rivers."""
_OF_CODE = re.compile(
    r",? (?:for|that|to|which|with|containing|implementing|offering|providing|supporting|used (?:by|for|to)|written in|"
    r"of (?:[\w-]+ ){0,3}(?:algorithms|classes|code|components|functions|helpers|macros|modules|routines|tools|"
    r"utilities))\b"
)
"""Behind *library*, where it is one of code."""
_FIGHTS = tuple(
    f"{one} operation{s}"
    for one in ("combat", "military", "naval", "airborne", "amphibious", "rescue")
    for s in ("", "s")
)
_OF_BOOKS = ("public library", "lending library", "national library", "university library", "presidential library")
_OF_SOFTWARE = re.compile(r" of (?:[\w-]+ ){0,4}(?:software|apps|applications|programs|tools|utilities)\b")


_SAYS = re.compile(
    r"(?:The|This|All|Our|Your) [^,.;:()]{1,80}?"
    r" (?:is|are|was|were|can|may|will|must|should|has|have)\b"
    r"|(?:Each|Every|These|Those) "
    r"|An? (?:(?!(?:by|for|in|of|that|to|where|which|who|whose|with)\b)[^,.;:() ]+ ){1,4}?(?:is|are|was|were)\b"
    r"|[A-Z][a-z]+s (?!(?:and|at|by|for|from|in|of|on|or|that|to|which|who|with)\b)[a-z]+ (?:how|what|whether|which)\b"
)
_GROUP_OF_THINGS = re.compile(
    r"(?:An?|Any|One|The) (?:[a-z-]+ ){0,2}(?:group|set) (?:(?:that|which) (?:contains?|has|have|holds?|includes?)\b"
    r"|of (?:[a-z-]+ )?(?:containers|devices|documents|fields|files|hosts|instances|items|jobs|machines|nodes|objects|"
    r"permissions|pods|processes|records|resources|rules|servers|services|settings|tests|values)\b)"
)
"""A definition of what is no body, though it is a group."""


class SaidKind(NamedTuple):
    """What a sentence says that its subject is."""

    type: str
    """The type of entity; empty where the words show none."""
    kind: str
    """The words: ``1982 drama film``, without an article; empty where nothing is said."""
    start: int
    """Where the sentence's verb stands: what is before it names the subject."""


def said_kind(sentence: str) -> SaidKind | None:
    """What ``X is a …`` says of X; ``None`` where the sentence is not of that form."""
    depth = 0
    place = 0
    if sentence.count("(") > sentence.count(")"):
        sentence = _UNCLOSED.sub(lambda found: " " * len(found[0]), sentence)
    for found in _COPULA.finditer(sentence[:REACH]):
        depth += sentence.count("(", place, found.start()) - sentence.count(")", place, found.start())
        place = found.start()
        if depth > 0 or not found.start():
            continue
        phrase, type_ = _kind(sentence[found.end() :])
        return SaidKind(type_, phrase, found.start())
    return None


def _kind(rest: str) -> tuple[str, str]:
    """The words of the first noun phrase, and the type that they show; the next parts of a list may show it too."""
    rest = _SIZES.sub(r"\1", rest) if "to" in rest else rest
    rest = _BASED.sub("-based ", _SHORT_FORM.sub("", rest)) if "(" in rest or " based " in rest else rest
    if _SEVERAL_EVENTS.match(rest):
        return "series of events", "Event"
    if (several := _SEVERAL_PEOPLE.match(rest)) and noun_type(several["what"]) == "Person":
        return several[0].strip(), "Group"
    before = _BEFORE.match(rest)
    place = before.end() if before else 0
    phrase = ""
    if _GERUND.match(rest, place) or rest.startswith(("to ", "not "), place):
        return "", ""  # "means presenting our work", "is to promote"
    for _ in range(4):
        stop = _STOP.search(rest, place)
        end = stop.start() if stop else len(rest)
        part = " ".join(rest[place:end].split())
        phrase = phrase or part
        if (type_ := _phrase_kind(part, rest[end:])) and not (
            _is_half(part, stop) or (type_ != "Person" and stop is not None and _is_of_person(rest, stop))
        ):
            return (part if not phrase_type(phrase) and len(phrase.split()) > 6 else phrase), type_
        if stop is None or stop[0].strip() not in {",", "and", "or"}:
            break
        place = stop.end()
        if stop[0] == "," and (beside := _BESIDE.match(rest, place)) is not None:
            place = beside.end()  # a "symphonie dramatique", a choral symphony
    return phrase, ""


_BESIDE = re.compile(r"[\"”’ ]*(?:an?|the) ")


def _is_half(part: str, stop: re.Match[str] | None) -> bool:
    """Whether a part is half of what stands before a noun: *podcast publishing* and monetization service."""
    joined = stop is not None and stop[0].strip() in ("and", "or")
    return joined and _DOING.search(part) is not None and not phrase_type(part, reach=1)


def _is_of_person(rest: str, stop: re.Match[str]) -> bool:
    """Whether a noun stands before *and* only for what somebody does: *film* and television director."""
    if stop[0].strip() not in ("and", "or") or re.match(r"\s*(?:an?|the)\b", rest[stop.end() :]):
        return False
    following = _STOP.search(rest, stop.end())
    part = rest[stop.end() : following.start() if following else len(rest)].split()
    return len(part) > 1 and noun_type(part[-1].lower()) == "Person"


_RANKS = frozenset("order class family tribe phylum division clade group subclass".split())
"""What a group of living things is called, and many other things."""
_OF_LIVING = re.compile(r" of (?P<what>[\w' -]{3,40}?)(?= in | that | which | of | known | from | with |[,.;(]|$)")


def _phrase_kind(phrase: str, following: str) -> str:
    """The type that a noun phrase shows before what follows it: an *authority to operate* is none that governs."""
    if following.startswith(" to ") and phrase.lower().endswith(_RIGHTS):
        return "Concept"
    if _SOFTWARE.search(phrase) or (phrase.lower().endswith("suite") and _OF_SOFTWARE.match(following)):
        return "Product"
    if _ON_SCREEN.search(phrase) and phrase_type(phrase, reach=1) == "Facility":
        return "Product"
    if _OPERATOR.search(phrase):
        return "Product"
    if phrase.lower().endswith(_FIGHTS):
        return "Event"
    if phrase.lower().endswith("system") and _MADE.match(following):
        return "Product"
    if phrase.lower().endswith("library") and _OF_CODE.match(following) and not phrase.lower().endswith(_OF_BOOKS):
        return "Product"
    ranked = _OF_LIVING.match(following) if phrase.lower().rpartition(" ")[2] in _RANKS else None
    if ranked is not None and (
        ranked["what"].endswith(("animals", "organisms")) or phrase_type(ranked["what"], reach=2) == "Species"
    ):
        return "Species"
    return phrase_type(phrase)


_CALLED = ("called ", "named ", "known as ")


def called_type(sentence: str, name: str) -> str:
    """The type that ``a merge queue bot called "Bors"`` says of *Bors*; empty where a sentence is not so."""
    if name not in sentence or not any(word in sentence for word in _CALLED):
        return ""  # before a pattern is compiled for the name
    found = re.search(
        r"\b(?:[Aa]n?|[Tt]he|[Oo]ur|[Tt]heir|[Ii]ts) "
        r"(?P<kind>[a-z][\w-]*(?: (?!(?:an?|the|our|their|its) )[a-z][\w-]*){0,5}?)"
        rf",? (?:called|named|known as) (?:the )?[\"“”'‘*`\[]*{re.escape(name)}(?!\w)",
        sentence,
    )
    return "" if found is None else _kind(found["kind"])[1]


def introduced_type(sentence: str, name: str) -> str:
    """The type that ``This is Bors, the merge queue bot of …`` says of *Bors*; empty where a sentence is not so."""
    for opening in ("This is ", "Welcome to "):
        found = _INTRODUCED.match(sentence, len(opening) + len(name)) if sentence.startswith(opening + name) else None
        if found is not None:
            return phrase_type(found["kind"], reach=1)
    return ""


def used_type(sentence: str, name: str) -> str:
    """``Product`` where a sentence opens with who uses what a name names for something: ``We use Bors to merge.``"""
    opening = sentence.find(f" {name}", 0, len(name) + _USER)
    used = opening > 0 and _USING.fullmatch(sentence, 0, opening) is not None
    return (
        "Product"
        if used and re.match(r" (?:to [a-z]|for [a-z]|as (?:an?|our|the) )", sentence[opening + 1 + len(name) :])
        else ""
    )


_USER = 40
"""Characters before the name that say who uses it."""
_USING = re.compile(r"(?:We|Our [a-z]+s?|[A-Z][A-Z0-9]{1,9}|[A-Z][\w]+ (?:employees|staff|teams?)) uses?(?: the)?")
_USED_FOR = re.compile(r" (?:to [a-z]|for [a-z]|as (?:an?|our|the) )")
_INTRODUCED = re.compile(
    r", (?:an?|our|the) (?P<kind>[\w'’ -]{3,60}?)(?= (?:by|for|from|of|that|where|which|with)\b|[,.!])"
)


def definition_type(definition: str) -> str:
    """The type that a definition without a verb says: ``A federal agency that …``; empty where it says none."""
    if _SAYS.match(definition):
        return ""  # "The local and remote stores are made of files": a sentence on something else
    if _GROUP_OF_THINGS.match(definition):
        return "Concept"
    return _kind(definition[:1].lower() + definition[1:])[1]


_COUNTED = re.compile(r"(?:one|two|three|four|five|six|single|multi|n|\d+)-[a-z]+")
"""What says of how many something is, before another noun."""


_OF_THINGS = re.compile(r"(?:ations?|ments?|ware|ness|form|flow|face|page)$")
"""How nouns end that are nobody: an *artist recommendations feed* is no artist."""


def phrase_type(phrase: str, reach: int = 3) -> str:
    """The type that a noun phrase shows, by the last listed one of its last ``reach`` nouns; empty where none is."""
    tokens = [token.lower() for token in _TOKEN.findall(phrase)]
    for place in range(len(tokens) - 1, max(-1, len(tokens) - 1 - reach), -1):
        token = tokens[place]
        if place + 1 < len(tokens) and (token in _BEFORE_NOUNS or token.endswith(("-century", "-year", "-day"))):
            continue  # "a 20th-century re-creation" is no event
        if place + 1 < len(tokens) and token.rsplit("-", 1)[-1] == "member":
            return "Organization"  # "a seven-member body"
        if place + 1 < len(tokens) and _COUNTED.fullmatch(token):
            continue  # "a two-place predicate"
        if place and (known := _COMPOUNDS.get(f"{tokens[place - 1]} {token}")):
            return known
        if place and (known := _TYPES.get(f"{tokens[place - 1]}-{token}")):
            return known
        if (found := noun_type(token)) and not (found == "Person" and _OF_THINGS.search(tokens[-1])):
            return found
    return ""


def noun_type(noun: str) -> str:
    """The type of entity that a noun (in lower case, singular or plural) says; empty where it says none."""
    singular = f"{noun.removesuffix('ies')}y" if noun.endswith("ies") else noun
    for form in (noun, noun.removesuffix("s"), noun.removesuffix("es"), singular):
        if form in _TYPES:
            return _TYPES[form]
    last = noun.rsplit("-", 1)[-1]
    if last != noun and (found := noun_type(last)):
        return found
    if noun in _MAKERS:
        return "Organization"
    if noun not in _EXCEPTIONS and len(noun) > 6 and noun.endswith(_PERSON_ENDINGS) and noun not in words.NOT_NAMES:
        return "Person"
    return ""


def named_kind(sentence: str) -> tuple[str, str] | None:
    """Name and type in ``The Get-Item cmdlet gets …``, ``The inject command is …``; ``None`` where the sentence
    is not of that form."""
    found = _NAMED_KIND.match(sentence)
    if found is not None and (type_ := noun_type(found["kind"])):
        return found["name"], type_
    found = _COMMAND_IS.match(sentence)
    return None if found is None else (found["name"], "Command")


_WRITTEN = {
    **dict.fromkeys(("policy", "policies", "covenant", "pledge"), "Policy"),
    **dict.fromkeys(("procedure", "procedures"), "Procedure"),
    "plan": "Plan",
    **dict.fromkeys(("license", "licence"), "License"),
    **dict.fromkeys(
        "protocol algorithm format encoding language spec specs specification specifications".split(), "Technology"
    ),
    **dict.fromkeys(
        "agreement charter checklist documentation guidance guideline guidelines proposal proposals roadmap template "
        "faq faqs deck questions "
        "glossary questionnaire "
        "memo rfc cookbook handbook guidebook manual reference".split(),
        "Document"),
}  # fmt: skip
"""What somebody wrote down, by the last word of its name."""
_CODE_OF = re.compile(r"[Cc]odes? of (?:[Cc]onduct|[Ee]thics)(?!.* (?:[Cc]ommittee|[Gg]roup|[Tt]eam|WG|[Ww]orkgroup)$)")


def written_type(name: str) -> str:
    """The type of a text by the words of its name: *Travel policy*, *Code of Conduct*; empty where they name none."""
    first, _, last = name.rpartition(" ")
    if _CODE_OF.search(name) is not None:
        return "Policy"
    return _WRITTEN.get(last.lower(), "") if first else ""


_BODIES = frozenset(
    "agency association board commission committee consortium council department foundation initiative institute "
    "ministry office society team university".split()
)
_BOARD = re.compile(r"(?:^| )[Bb]oard of (?:[Dd]irectors|[Gg]overnors|[Rr]egents|[Tt]rustees)$")


def is_called_body(name: str) -> bool:
    """Whether a name of several words, in capitals or not, ends in what a group of people is called."""
    first, _, last = name.rpartition(" ")
    return first != "" and (last.lower() in _BODIES or _BOARD.search(name) is not None)
