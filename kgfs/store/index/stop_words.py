"""Words that say nothing in a search, by language: articles, pronouns, prepositions, forms of *be* and *have*.

Used by ``kgfs.store.index.terms``. Only words that are nothing else, since what stands here is found by nobody;
languages that are not here have none. Those of English are what the engine's own English analysis leaves out.
"""

from __future__ import annotations

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": (
            "a about after again against ain all am an and are aren as at be been being below between both but by"
            " can couldn d did didn do doesn doing don down each few for from further had hadn has hasn have haven"
            " having he her here hers herself him himself his how i if in into is isn it its itself just ll m ma me"
            " mightn more most mostly mustn my myself needn no nor not now o of off on or other others our ours out"
            " over own re s same shan she should shouldn so some such t than that the their theirs them then there"
            " these they this those through to too under until up ve was wasn we were weren what when where which"
            " while who whom will with won wouldn y you your yours yourself"
        ),
        "de": (
            "aber als am an auch auf aus bei beim bin bis bist da damit dann das dass daß dein dem den denn der des"
            " dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer"
            " eines er es euch euer für gegen habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre"
            " ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine können man mein"
            " mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind"
            " so soll sondern über um und uns unser unter vom von vor war waren warum was weil welche welchem"
            " welchen welcher welches wenn wer wie wieder wir wird wo worden wurde wurden zu zum zur zwischen"
        ),
        "fr": (
            "à afin ai ainsi après as au aux avait avant avec avez avons c car ce cela ces cet cette ceux chez"
            " comme comment d dans de des donc dont du elle elles en est et étaient était être eu eux fut il ils j"
            " je l la le les leur leurs lui m ma mais me mes moi mon n ne ni nos notre nous on ont ou où par pas"
            " pendant pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se selon sera ses si son"
            " sont sous sur t ta te tes toi ton tu un une vos votre vous y"
        ),
        "es": (
            "a al ante antes aunque cada como cómo con contra cual cuál cuando cuándo de del desde donde dónde el"
            " él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos"
            " fue fueron ha había habían han hasta hay la las le les lo los más me mi mis mucho muy ni no nos o os"
            " para pero por porque pues que qué quien quién se ser si sí sido sin sobre son su sus también te tiene"
            " tu tus un una unas uno unos y ya yo"
        ),
        "it": (
            "a ad agli ai al alla alle allo anche che chi ci col come con cui da dagli dai dal dalla dalle dallo"
            " degli dei del dell della delle dello di dove dopo e ed era erano essere fra fu furono gli ha hanno i"
            " il in io l la le lei lo loro lui ma mi mia mio ne negli nei nel nella nelle nello noi non o per perché"
            " però più qual quale quali quando quanto quella quelle quello questa queste questi questo quindi se sei"
            " si sia sono sta stata stato su sua sue sugli sui sul sulla sulle suo suoi tra tu un una uno vi voi"
        ),
        "pt": (
            "a à ao aos aquela aquele aqueles as às até com como da das de dela dele deles depois do dos e é ela"
            " elas ele eles em entre era eram essa esse esta está estão este estes eu foi foram há isso isto já lhe"
            " mais mas me mesmo meu muito na nas não nem no nos nós o onde os ou para pela pelas pelo pelos por"
            " porque qual quando que quem são se sem ser seu seus só sua suas também te tem têm tinha um uma uns"
            " você"
        ),
        "nl": (
            "aan al als bij daar dan dat de der des deze die dit door een en er geen had heb hebben heeft het hier"
            " hij hoe hun ik in is je kan maar me meer met mijn na naar niet nog nu of om onder ons ook op over te"
            " tegen toch toen tot uit van veel voor waar waren wat we wel werd werden wie wij worden wordt zal ze"
            " zich zij zijn zo zou"
        ),
        "sv": (
            "alla än är att av blev bli blir då de dem den denna deras dess dessa det detta dig du där efter ej"
            " eller en er ett för från ha hade han hans har hennes hon honom hur i icke ingen inte jag kan med"
            " mellan men mig min mot mycket när nu och om oss på så sedan sig sin sina sitt ska skulle som till"
            " under upp ut utan vad var vara varför vem vi vid"
        ),
        "da": (
            "af alle at blev bliver da de dem den denne der deres det dette dig du efter eller en end er et for fra"
            " få ham han hans har havde hun hvad hvem hvis hvor hvordan i ikke ind jeg kan med meget mellem men mig"
            " min mod når nu og også om op os over på sig sin skal som så til ud under var vi vil være"
        ),
        "no": (
            "å alle at av ble blir da de deg dem den denne der deres det dette du eller en enn er et etter for fra"
            " ha hadde han hans har henne hun hva hvem hvis hvor hvordan i ikke inn jeg kan man med meg mellom men"
            " min mot når nå og også om opp oss over på seg sin skal som så til under ut var ved vi vil være"
        ),
        "ru": (
            "а без более бы был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его"
            " ее её если есть еще ещё же за здесь и из или им их к как ко когда кто ли либо мне может мы на над надо"
            " наш не него нее неё нет ни них но ну о об от очень по под после потом потому при про с сам себя со так"
            " также такой там те тем то того тоже той только том ты у уже хотя чего чей чем что чтобы чья эта эти"
            " это этого этой этом этот я"
        ),
    }.items()
}
