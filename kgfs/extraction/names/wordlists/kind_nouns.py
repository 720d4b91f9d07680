"""Nouns that say what something is, by the type of entity that they show: a *film* is a ``Work``.

``kinds`` finds such a noun in a sentence; others ask with a noun or a noun phrase at hand. Pure, English.
"""

from __future__ import annotations

import re

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
        producer professor programmer promoter prophet prosecutor psychiatrist psychologist publicist
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
        bus-line cargo-line cruise-line ferry-line freight-line shipping-line
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
        arena asylum auditorium ballpark barn
        barracks base basilica bazaar boardwalk boatyard bridge building bus-station
        camp campus casino castle cathedral cemetery center centre chapel chateau château cinema citadel clock
        clock-tower complex courthouse dam depot dock expressway facility factory fairgrounds farm farmhouse fort
        fortress freeway gallery garage garden gate gym gymnasium highway hospital hotel house inn interchange
        intersection jail landmark library lighthouse mall manor mansion market marketplace mausoleum memorial mill
        mine monument mosque motorway museum nightclub observatory opera-house pagoda palace pavilion pier planetarium
        plant-building plaza power-station prison pub pyramid quarry racecourse racetrack raceway rail-trail railway
        rapid-transit-system refinery residence restaurant rink road route runway sanatorium shipyard shrine site
        skatepark skybridge skyscraper speedway stadium station store studio studios subway-station synagogue temple
        terminal theater theatre tomb tower trail tramway tunnel velodrome venue viaduct villa warehouse windmill zoo
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
        barge barque brig brigantine corvette dinghy dreadnought galleon gunboat icebreaker ketch lifeboat lugger
        minesweeper motorboat paddle-steamer sailboat sloop steamer steamship trawler trimaran
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
        air force, animation studio, architecture studio, armed forces, auction house, credit union, design house,
        design studio, development studio, fashion house, publishing house, software house,
        film studio, game studio, joint venture, law firm, news agency, movie studio, police force, political party,
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
        text editor, code editor, source editor, markdown editor, hex editor, image editor, photo editor, vector editor,
        font editor, level editor, music player, media player, audio player, video player, feed reader, rss reader,
        pdf reader, screen reader, device driver, network driver, graphics driver, printer driver, code reviewer,
        task runner, test runner, job runner, load balancer, message broker, message queue, job queue, build system,
        database system, data store, key-value store, object store, web service, service mesh, container runtime,
        container registry, package registry, python package, npm package, node module, ruby gem, rust crate
    """,
    "Facility": """
        amusement park, baseball park, cricket ground, football ground, golf course, office building, railway line,
        metro line, subway line, transit line, shopping center, shopping centre, theme park
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
        bus driver, fictional character, pen name, race driver, racing driver, rally driver, stage name, taxi driver,
        truck driver
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
    "language single double daily weekly monthly quarterly yearly musical comic native principal chief major general "
    "official representative western live short back forward back-end front special feature".split()
)
"""Nouns that are adjectives where another noun follows: a *single sign-on solution* is no record."""
_EXCEPTIONS = frozenset("list mist twist checklist playlist wishlist gist wrist fist".split())
_PERSON_ENDINGS = ("ologist", "ician", "ographer", "ist", "wright", "maker", "sman", "swoman", "player")
_MAKERS = frozenset("automaker carmaker drugmaker toymaker".split())
_TOKEN = re.compile(r"[^\W\d_][\w'’-]*|\d{4}s?")
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
