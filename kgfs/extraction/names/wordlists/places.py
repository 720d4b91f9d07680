"""A small gazetteer of places: countries, states and provinces, large cities, and the Federal Reserve's Districts.

Used by extraction; data only. Common knowledge, written for this project. A place that is also an everyday word or a
common name is left out.
"""

from __future__ import annotations

COUNTRIES = frozenset(
    """
    Afghanistan|Albania|Algeria|Andorra|Angola|Argentina|Armenia|Australia|Austria|Azerbaijan|Bahrain|Bangladesh
    Barbados|Belarus|Belgium|Belize|Benin|Bhutan|Bolivia|Botswana|Brazil|Bulgaria|Burundi|Cambodia|Cameroon|Canada|Chile
    China|Colombia|Costa Rica|Croatia|Cuba|Cyprus|Czech Republic|Denmark|Dominican Republic|Ecuador|Egypt|El Salvador
    Eritrea|Estonia|Ethiopia|Fiji|Finland|France|Gabon|Germany|Ghana|Greece|Guatemala|Guinea|Guyana|Haiti|Honduras
    Hungary|Iceland|India|Indonesia|Iran|Iraq|Ireland|Israel|Italy|Ivory Coast|Jamaica|Japan|Kazakhstan|Kenya|Kuwait
    Kyrgyzstan|Laos|Latvia|Lebanon|Liberia|Libya|Liechtenstein|Lithuania|Luxembourg|Madagascar|Malawi|Malaysia|Maldives
    Mali|Malta|Mauritania|Mauritius|Mexico|Moldova|Monaco|Mongolia|Montenegro|Morocco|Mozambique|Myanmar|Namibia|Nepal
    Netherlands|New Zealand|Nicaragua|Niger|Nigeria|North Korea|North Macedonia|Norway|Oman|Pakistan|Panama|Paraguay
    Peru|Philippines|Poland|Portugal|Qatar|Romania|Russia|Rwanda|Saudi Arabia|Senegal|Serbia|Sierra Leone|Singapore
    Slovakia|Slovenia|Somalia|South Africa|South Korea|Spain|Sri Lanka|Sudan|Suriname|Sweden|Switzerland|Syria|Taiwan
    Tajikistan|Tanzania|Thailand|Tunisia|Turkmenistan|Uganda|Ukraine|United Arab Emirates|United Kingdom|United States
    Uruguay|Uzbekistan|Venezuela|Vietnam|Yemen|Zambia|Zimbabwe|Scotland|Wales|England|Northern Ireland|Hong Kong
    """.replace("\n", "|").replace("    ", "").strip("|").split("|")
)  # fmt: skip
STATES = frozenset(
    """
    Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Hawaii|Idaho|Illinois|Indiana|Iowa
    Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska
    Nevada|New Hampshire|New Jersey|New Mexico|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania
    Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|West Virginia|Wisconsin|Wyoming
    Puerto Rico|Ontario|Quebec|British Columbia|Alberta|Manitoba|Nova Scotia|Bavaria|Catalonia|New South Wales
    New York State|Queensland|South Australia|Tasmania|Western Australia
    """.replace("\n", "|").replace("    ", "").strip("|").split("|")
)  # fmt: skip
CITIES = frozenset(
    """
    Amsterdam|Ankara|Antwerp|Athens|Atlanta|Auckland|Baghdad|Baltimore|Bangalore|Bangkok|Barcelona|Basel|Beijing|Berlin
    Bern|Birmingham|Bogotá|Bologna|Boston|Bremen|Brisbane|Bristol|Brussels|Bucharest|Budapest|Buenos Aires|Buffalo|Cairo
    Calgary|Cape Town|Caracas|Charlotte|Chennai|Chicago|Cincinnati|Cleveland|Cologne|Copenhagen|Cupertino|Dallas|Delhi
    Denver|Detroit|Doha|Dortmund|Dresden|Dubai|Dublin|Düsseldorf|Edinburgh|Eindhoven|El Paso|Florence|Frankfurt|Geneva
    Genoa|Glasgow|Gothenburg|Guangzhou|Hamburg|Hannover|Hanoi|Hartford|Helsinki|Houston|Hyderabad|Indianapolis|Istanbul
    Jakarta|Jerusalem|Johannesburg|Kansas City|Karachi|Kuala Lumpur|Kyiv|Kyoto|Lagos|Las Vegas|Lausanne|Leeds|Leipzig
    Lima|Lisbon|Liverpool|London|Los Angeles|Louisville|Lyon|Madrid|Manchester|Manhattan|Manila|Marseille|Melbourne
    Memphis|Mexico City|Miami|Milan|Milwaukee|Minneapolis|Minsk|Montreal|Montréal|Moscow|Mountain View|Mumbai|Munich
    Málaga|Nairobi|Naples|Nashville|New Delhi|New Orleans|New York|New York City|Oakland|Osaka|Oslo|Ottawa|Palo Alto
    Paris|Philadelphia|Pittsburgh|Portland|Porto|Prague|Providence|Raleigh|Redmond|Richmond|Riga|Rio de Janeiro|Rome
    Rotterdam|Sacramento|Saint Petersburg|Salt Lake City|San Antonio|San Diego|San Francisco|San Jose|San José
    Santa Clara|Santiago|Seattle|Seoul|Seville|Shanghai|Shenzhen|Sofia|St. Louis|St. Paul|Stockholm|Strasbourg|Stuttgart
    Sunnyvale|Sydney|São Paulo|Taipei|Tallinn|Tampa|Tehran|Tel Aviv|Tokyo|Toronto|Toulouse|Turin|Utrecht|Valencia
    Vancouver|Venice|Vienna|Vilnius|Warsaw|Washington, D.C.|Wuhan|Zagreb|Zurich|Zürich
    """.replace("\n", "|").replace("    ", "").strip("|").split("|")
)  # fmt: skip
REGIONS = frozenset(
    "New England|Silicon Valley|Middle East|Latin America|North America|South America|Southeast Asia|Western Europe|"
    "Eastern Europe|Great Plains|Midwest|Europe|Africa|Asia|Cape Cod|Long Island|Upper Midwest|Dakotas|Carolinas|"
    "Mountain West|Pacific Northwest|Gulf Coast|Upper Peninsula|North Africa|West Africa|East Africa|Central Africa|"
    "East Asia|South Asia|Central Asia|Central America|Central Europe|Northern Europe|Southern Europe".split("|")
)
NATURE = frozenset(
    "Alps|Andes|Antarctica|Apennines|Appalachians|Arctic Ocean|Atlantic Ocean|Balkans|Baltic Sea|Bering Strait|"
    "Black Sea|Cape Horn|Cape of Good Hope|Carpathians|Caspian Sea|Caucasus|Dead Sea|Euphrates|Galapagos Islands|"
    "Ganges|Great Lakes|Gulf of Mexico|Himalayas|Indian Ocean|Lake Superior|Mediterranean Sea|Mississippi River|"
    "Mont Blanc|North Sea|Orinoco|Pacific Ocean|Patagonia|Persian Gulf|Pyrenees|Red Sea|Rocky Mountains|Sahara|"
    "Siberia|Sierra Nevada|Strait of Gibraltar|Strait of Magellan|Tierra del Fuego".split("|")
)
"""Mountains, waters and lands that everybody knows by these names."""
FORMER = frozenset(
    "Asia Minor|Austria-Hungary|Bohemia|Bohemia and Moravia|British North America|Constantinople|"
    "Czechoslovakia|East Germany|Gaul|"
    "Holy Roman Empire|Mesopotamia|Ottoman Empire|Papal States|Persia|Prussia|Roman Empire|Soviet Union|USSR|"
    "Yugoslavia|Van Diemen's Land|West Germany|West Indies|British Empire|Byzantine Empire".split("|")
)
"""What states and lands were called."""
PLACES = COUNTRIES | STATES | CITIES | REGIONS | NATURE | FORMER
ADMINISTRATIVE = COUNTRIES | STATES | {"New York"}
"""Places that may follow another one after a comma: ``Cupertino, California``."""

ABBREVIATIONS: dict[str, str] = {
    "Ala": "Alabama", "Ariz": "Arizona", "Ark": "Arkansas", "Calif": "California", "Colo": "Colorado",
    "Conn": "Connecticut", "Del": "Delaware", "Fla": "Florida", "Ga": "Georgia", "Ill": "Illinois", "Ind": "Indiana",
    "Kan": "Kansas", "Ky": "Kentucky", "La": "Louisiana", "Md": "Maryland", "Mass": "Massachusetts",
    "Mich": "Michigan", "Minn": "Minnesota", "Miss": "Mississippi", "Mo": "Missouri", "Mont": "Montana",
    "Neb": "Nebraska", "Nev": "Nevada", "N.H": "New Hampshire", "N.J": "New Jersey", "N.M": "New Mexico",
    "N.Y": "New York", "N.C": "North Carolina", "N.D": "North Dakota", "Okla": "Oklahoma", "Ore": "Oregon",
    "Pa": "Pennsylvania", "R.I": "Rhode Island", "S.C": "South Carolina", "S.D": "South Dakota", "Tenn": "Tennessee",
    "Tex": "Texas", "Vt": "Vermont", "Va": "Virginia", "Wash": "Washington", "W.Va": "West Virginia",
    "Wis": "Wisconsin", "Wyo": "Wyoming", "D.C": "Washington, D.C.", "U.S": "United States", "U.K": "United Kingdom",
}  # fmt: skip
"""Short names of states and countries, without the last full stop; most are other words too, so only with a stop."""


def is_administrative(name: str) -> bool:
    """Whether a name is that of a country or a state, in full or short (``Calif.``): what may follow a place."""
    return name in ADMINISTRATIVE or name.rstrip(".") in ABBREVIATIONS


ALIASES: dict[str, tuple[str, ...]] = {
    "United States": ("U.S.", "United States of America", "USA", "America"),
    "United Kingdom": ("U.K.", "UK", "Great Britain"),
    "Zürich": ("Zurich",),
    "Montréal": ("Montreal",),
    "Washington, D.C.": ("Washington DC", "Washington, DC"),
    "San José": (),
}
_OTHER_NAMES = frozenset(alias for aliases in ALIASES.values() for alias in aliases)


def is_place_name(name: str) -> bool:
    """Whether a name is a place's everywhere, in full or as it is called for short."""
    return name in PLACES or name in _OTHER_NAMES


PERSON_LIKE = frozenset(
    "Charlotte Florence Sofia Sydney Paris Jordan Virginia Georgia Chad Israel Santiago Austin Phoenix Columbus "
    "Madison Richmond Cleveland Lima Buffalo Houston Lincoln Kent".split()
)
"""Places that are often a person's name: with another capitalised word after them they are no place."""

DISTRICTS: tuple[str, ...] = (
    "Boston", "New York", "Philadelphia", "Cleveland", "Richmond", "Atlanta", "Chicago", "St. Louis", "Minneapolis",
    "Kansas City", "Dallas", "San Francisco",
)  # fmt: skip
"""The cities of the twelve Federal Reserve Districts, first to twelfth."""

ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth", "Eleventh",
    "Twelfth",
)  # fmt: skip
