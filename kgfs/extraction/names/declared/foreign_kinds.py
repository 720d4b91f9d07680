"""What a lead in another language than English says that its title is: *Mühlbach ist ein Dorf*, *石桥是一座城市*.

Used for the types of pages (``pages``); pure. Only the commonest kinds are known, and only where the sentence begins
with the title and says the kind right behind its verb. A noun that is not listed shows no type.
"""

from __future__ import annotations

import re

_LATIN = {
    "Location": """
        stadt dorf gemeinde ortschaft ort ortsteil fluss berg gebirge see insel land staat region bezirk hauptstadt
        vulkan tal ville village commune fleuve rivière montagne lac île pays région département capitale hameau
        volcan ciudad pueblo aldea municipio río montaña lago isla país región provincia capital localidad città
        paese comune fiume montagna isola regione frazione cidade vila aldeia rio montanha ilha município stad dorp
        gemeente rivier eiland meer plaats
    """,
    "Person": """
        schriftsteller schriftstellerin maler malerin dichter dichterin komponist komponistin musiker musikerin
        sänger sängerin schauspieler schauspielerin politiker politikerin physiker physikerin mathematiker
        mathematikerin philosoph philosophin architekt architektin regisseur regisseurin könig königin kaiser arzt
        ärztin historiker écrivain écrivaine peintre poète poétesse compositeur compositrice musicien musicienne
        chanteur chanteuse acteur actrice politicien physicien physicienne mathématicien mathématicienne philosophe
        architecte réalisateur roi reine escritor escritora pintor pintora poeta compositor compositora músico
        cantante actor actriz político física matemático filósofo arquitecto rey reina scrittore scrittrice pittore
        pittrice compositore musicista attore attrice politico fisico matematico filosofo re pintora músico cantor
        cantora ator atriz rei rainha schrijver schrijfster schilder dichter componist zanger zangeres acteur koning
        koningin
    """,
    "Work": """
        film spielfilm roman buch album lied gemälde oper theaterstück novelle gedichtband livre chanson tableau
        opéra película novela libro álbum canción cuadro romanzo libro canzone dipinto filme romance livro canção
    """,
    "Organization": """
        unternehmen firma partei universität hochschule verein bank zeitung verlag fluggesellschaft entreprise
        société parti université banque journal empresa compañía partido universidad banco periódico azienda società
        partito università banca giornale universidade jornal bedrijf universiteit krant
    """,
    "Facility": """
        schloss burg kirche brücke bahnhof kloster flughafen château église pont gare aéroport castillo iglesia
        puente castello chiesa ponte castelo igreja kasteel kerk brug
    """,
}  # fmt: skip
_RUSSIAN = {
    "Location": "город посёлок поселок деревня село река гора озеро остров страна государство столица район область",
    "Person": "писатель писательница художник художница поэт поэтесса композитор музыкант певец певица актёр "
    "актриса политик физик математик философ архитектор режиссёр король королева царь учёный",
    "Work": "фильм роман книга альбом песня картина опера пьеса",
    "Organization": "компания партия университет банк газета предприятие",
    "Facility": "замок церковь мост вокзал монастырь аэропорт",
}
_EASTERN = {
    "Location": "城市 都市 村庄 村 町 县 县城 镇 市 河流 河 川 山 山峰 湖 湖泊 岛 島 岛屿 国家 国 首都",
    "Person": "作家 小说家 画家 诗人 詩人 作曲家 音乐家 "
    "音楽家 歌手 演员 俳優 女優 政治家 物理学家 物理学者 数学家 数学者 "
    "哲学家 哲学者 建筑师 建築家 导演 国王 女王 皇帝",
    "Work": "电影 映画 小说 小説 长篇小说 专辑 アルバム 歌曲 书 歌剧",
    "Organization": "公司 企业 会社 企業 政党 大学 银行 銀行 报纸 新聞",
    "Facility": "城堡 教堂 教会 桥 橋 车站 駅 机场 空港",
}


def _by_noun(table: dict[str, str]) -> dict[str, str]:
    return {noun: type_ for type_, nouns in table.items() for noun in nouns.split()}


_LATIN_NOUNS, _RUSSIAN_NOUNS, _EASTERN_NOUNS = _by_noun(_LATIN), _by_noun(_RUSSIAN), _by_noun(_EASTERN)
_ARTICLE = re.compile(r"[A-ZÀ-Ý]\w{0,2}(?: |['’])")
"""What may stand before the title: *La Lambra*."""
_BRACKET = re.compile(r" ?[(（][^()（）]*[)）]")
_IS = re.compile(
    r",? (?:(?:ist|war) (?:eine?|der|die|das) |(?:est|était|fut) (?:une?|le|la) |(?:es|era|fue) (?:una?|el|la) |"
    r"(?:è|era|fu) (?:uno?|una|il|lo|la) |(?:é|era|foi) (?:uma?|o|a) |(?:is|was) (?:een|de|het) |"
    r"(?:est|è|era) (?:un['’]|l['’]))(?P<rest>[^.;:]+)"
)
_RUSSIAN_IS = re.compile(r",? [—–-] (?:это )?(?P<rest>[а-яё][^.;:,]*)")
_EASTERN_IS = re.compile(r"(?:是|は、?)(?P<rest>[^。，,.；]{1,40})")
_EASTERN_END = re.compile(r"(?:であった|である|でした|です|だった|だ)$")
_STOPS = frozenset(
    "in im an am bei von vom des der aus mit und oder zu auf für de du en à au dans sur del el y con per nel nella di "
    "da do na no em e i van op met te che qui que der die das".split()
)
_UMLAUTS = ("stadt", "dorf", "fluss", "gebirge", "roman", "film", "unternehmen")
"""Ends of longer German nouns: *Kleinstadt*, *Softwareunternehmen*."""


def foreign_type(title: str, lead: str) -> str:
    """The type of entity that a lead in another language says of the title; empty where it says none."""
    rest = _behind(title, lead)
    if (found := _IS.match(rest)) is not None:
        return _first(found["rest"])
    if (found := _RUSSIAN_IS.match(rest)) is not None:
        spoken = re.findall(r"[а-яё-]+", found["rest"])[:4]
        return next((_RUSSIAN_NOUNS[word] for word in spoken if word in _RUSSIAN_NOUNS), "")
    if (found := _EASTERN_IS.match(rest)) is not None:
        return _last(_EASTERN_END.sub("", found["rest"]))
    return ""


def _behind(title: str, lead: str) -> str:
    """What stands behind the title with which a lead opens, an article before and a bracket behind it left out."""
    article = _ARTICLE.match(lead)
    start = next((at for at in (0, article.end() if article else 0) if lead.startswith(title, at)), -1)
    if start < 0:
        return ""
    rest = lead[start + len(title) :]
    bracket = _BRACKET.match(rest)
    return rest if bracket is None else rest[bracket.end() :]


def _first(rest: str) -> str:
    """The type of the first noun that is known, before a word that ends the phrase."""
    for word in re.findall(r"[^\W\d_]+", rest)[:5]:
        lowered = word.lower()
        if lowered in _STOPS:
            return ""
        if lowered in _LATIN_NOUNS:
            return _LATIN_NOUNS[lowered]
        end = next((one for one in _UMLAUTS if word[:1].isupper() and lowered.endswith(one)), "")
        if end:
            return _LATIN_NOUNS[end]
    return ""


def _last(rest: str) -> str:
    """The type of the noun that a phrase without spaces ends in."""
    return next((_EASTERN_NOUNS[rest[-size:]] for size in (4, 3, 2, 1) if rest[-size:] in _EASTERN_NOUNS), "")
