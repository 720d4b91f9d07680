"""Word lists that tell names from ordinary capitals: function words, given names, what organisations end in.

Used by the other modules of extraction; data only. The lists are short on purpose: a missing word costs a name, a wrong
one costs a lie.
"""

from __future__ import annotations

NOT_NAMES = frozenset(
    """
    a about above according accordingly across actually additional additionally after afterwards again against ago all
    almost alone along already also alternatively although always am among an and another answer any anybody anyone
    anything are around as ask at average away back basically be because become been before began beginning behind being
    below besides best better between beyond big biggest both business businesses but buy by call can cannot care
    careful cases change check chief choose citizens city clearly click close closed come compiled compare companies
    company compared consequently consider consumer contact contacts contents continue control copy could countries
    country create created critics current currently customers data date day days deal dear december definition despite
    did different directors district districts do does doing done down due during each earlier early easy economic
    economists either elsewhere employees employers employment end enough especially even eventually ever every
    everybody everyone everything example except expect fall farther few fewer fewest fifteen fifth fifty figure figures
    final finally find firms first five follow following for formerly fortunately four fourth friday from full further
    furthermore general generally get give given go going good got great had half has have having he hello help hence
    her here hers herself highlights him himself his home hotels households how however i idea if ignore important in
    include including indeed index inside instead intended into introduction investors is it its itself january job jobs
    july june just keep key kind know knowing labor large larger largest last lastly late later latest least less let
    like likewise list little local long look looking made main mainly make makers making manufacturers many march
    market markets may maybe me mean means meanwhile measure media members method mid might million monday money more
    moreover most mostly much must my name named namely near nearly nearby need neither never nevertheless new news next
    nine no nobody none nonetheless nor normally not note notes nothing november now null number october of off offices
    often oh ok old on once one ones only open opened or order ordinary other others otherwise our ours out outlook
    outside over overall overview own owners page part parts past people percent perhaps place places plans please
    points policy possibly present previously price prices primarily private probably problem producers product products
    professor provided providers public purpose put quarter question questions quick quickly quite rather read reading
    ready real really reasons recent recently recruiters references regarding regardless related remember rents report
    reported reports respondents responding restaurants result results retail retailers return revenue right run sales
    same saturday save saw say second section see seen select september series service services set seven several shall
    she short should show side similarly simple simply since six slow small smaller so software some somebody someone
    something sometimes soon source sources special spending standard start started state states step still store stores
    story such sum summary sunday suppliers suppose sure table take taken teams ten tends text than thank thanks that
    the their theirs them themselves then there therefore these they thing things think third this those though
    thousands three through throughout thursday thus time times title to today together tomorrow too took top total
    tourism toward towards trade tried try tuesday turn twelve two type typically ultimately under undo unfortunately
    unless unlike until up update updates upon us use used user users uses using usually various version very view wage
    wages want warning was watch way we wednesday week weeks welcome well went were what whatever when whenever where
    whereas wherever whether which while who whoever whole whom whose why will with within without word work workers
    world worth would write written usd eur gbp jpy chf year years yes yesterday yet you your yours yourself
    zero february april august faq faqs todo
    """.split()
)
"""Words (lower case) that open sentences and headings and are no names by themselves."""

WEAK_STARTS = frozenset(
    "the a an in on at by for from as after before since until during under with when while if and but or so yet both "
    "all this that these those his her its their our my your each every some most many any no not even only like "
    "unlike among because although though despite between through about against also then later today now once one two "
    "three four five former late young early mr mrs ms dr sir dame lord lady professor prof president ceo chairman "
    "chairwoman founder director minister senator governor mayor "
    "analyst economist see via per than where who what how why to of is was are were has had will can may "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december spring summer autumn winter".split()
)
"""Words (lower case) that may stand before a name in a run of capitals without being part of it."""

PERSON_TITLES = frozenset(
    "mr mrs ms dr sir dame lord lady professor prof president ceo chairman chairwoman senator governor mayor".split()
)
"""Of the words before a name, those that say that a person follows."""

STRONG_SUFFIXES = frozenset(
    "Inc Incorporated Corp Corporation Ltd Limited LLC PLC plc GmbH AG SA NV BV LLP Bros Holdings".split()
)
"""What only names of organisations end in."""

ORGANIZATION_HEADS = frozenset(
    "University College Institute Bank Bancorp Company Co Group Association Society Foundation Agency Bureau "
    "Department Ministry Commission Committee Council Authority Administration Office Board Court Union Federation "
    "League Party Academy School Hospital Laboratory Laboratories Labs Lab Museum Library Fund Trust Partners Capital "
    "Ventures Technologies Systems Industries Airlines Airways Motors Pharmaceuticals Studios Records Press Times Post "
    "Journal News Networks Platforms Organization Organisation Senate Parliament Congress Church Navy Army Guard Corps "
    "Club Exchange Insurance Semiconductor Electronics Entertainment Productions Enterprises Solutions Securities "
    "Communications Telecom Pictures Consortium Realtors Reserve Service Services Workers".split()
)
"""Words that name an organisation when they end a name, or stand before ``of`` or ``for`` in it."""

WEAK_HEADS = frozenset(
    "Service Services Solutions Records Office Library Press Authority Platforms News Systems Union Academy "
    "Guard Post Times Exchange Lab Club".split()
)
"""Of those, the ones that with one word before them may be any label: they need more evidence."""

GENERIC_HEADS = frozenset(
    "University College Institute Bank Company Group Department Ministry Commission Committee Council Office Board "
    "Court Service Services Reserve Systems Solutions News Press School Union Fund Trust Party Labs Lab Club".split()
)
"""Of those, the ones that are common words: alone, or with a common word before them, they name nothing."""

OF_HEADS = frozenset(
    "University College Institute Bank Department Ministry Bureau Board Academy School Museum Library Court House "
    "Chamber Association Society Office Centers Centre Center Council Committee Republic Kingdom Commonwealth District "
    "City States Gulf Bay Cape Isle Massachusetts Secretary Organization Organisation Federation Union League Church "
    "Hospital Fund Governors Community".split()
)
"""Words after which ``of`` or ``for`` goes on inside a name."""

PLACE_HEADS = frozenset("County City Island Islands Valley River Lake Bay Mountains Peninsula Province Park".split())
LAW_HEADS = frozenset("Act Treaty Convention".split())

ROLE_WORDS = frozenset(
    "CEO CFO CTO COO President Chairman Chairwoman Chair Founder Cofounder Co-founder Director Executive Minister "
    "Senator Secretary Professor Governor Mayor Chief Officer Manager VP Dr Mr Mrs Ms Sir Dame Prof".split()
)
"""Words in capitals that stand between an organisation and a person and belong to neither."""

DEMONYMS = frozenset(
    "American British English Scottish Irish Welsh French German Italian Spanish Portuguese Dutch Belgian Swiss "
    "Austrian Swedish Norwegian Danish Finnish Polish Czech Hungarian Russian Ukrainian Greek Turkish Israeli Iranian "
    "Iraqi Egyptian Indian Chinese Japanese Korean Taiwanese Vietnamese Thai Indonesian Malaysian Australian Canadian "
    "Mexican Brazilian Argentine Chilean Colombian African European Asian Hispanic Latino Western Eastern Northern "
    "Southern Americans Europeans Chinese-born Californian Midwestern Internet Web Christian Jewish Muslim "
    "Catholic".split()
)

GIVEN_NAMES = frozenset(
    """
    Aaron Abigail Adam Adrian Ahmed Aidan Alan Albert Alec Alejandro Alessandro Alex Alexander Alexandra Alexei Alice
    Alison Allan Allen Amanda Amelia Amir Amy Ana Anders Andre Andrea Andreas Andrei Andrew Andy Angela Angus Anita Ann
    Anna Anne Anthony Antoine Antonio Ari Arjun Arthur Arvind Ashley Barack Barbara Barry Ben Benjamin Bernard Bernie
    Bert Beth Bill Bob Bobby Boris Brad Bradley Brandon Brenda Brendan Brett Brian Bruce Bryan Caleb Carl Carla Carlos
    Carol Caroline Catherine Cecilia Chad Charles Charlie Charlotte Chen Chloe Chris Christian Christina Christine
    Christopher Claire Clara Clark Claude Clayton Colin Connor Craig Curtis Cynthia Dan Dana Daniel Daniela Daphne Dario
    David Dean Deborah Demis Denis Dennis Derek Diana Diane Diego Dmitri Don Donald Donna Doris Dorothy Doug Douglas
    Duncan Dustin Dylan Ed Eddie Edgar Eduardo Edward Edwin Elaine Eleanor Elena Eli Elias Elizabeth Ella Ellen Elon
    Emily Emma Emmanuel Eric Erica Erik Erin Ernest Esther Ethan Eugene Eva Evan Eve Evelyn Felix Fernando Fiona Frances
    Francesca Francis Francisco Frank Franklin Fred Frederick Gabriel Gary Gavin Geoff Geoffrey George Gerald Gerard
    Giovanni Glenn Gloria Gordon Grace Graham Grant Greg Gregory Guido Gunnar Gustav Guy Hannah Hans Harold Harriet
    Harry Harvey Heather Hector Helen Henri Henrik Henry Herbert Holly Howard Hugh Hugo Ian Ida Ilya Ingrid Irene Iris
    Isaac Isabel Ivan Jack Jackie Jacob Jacqueline Jacques Jake James Jamie Jan Jane Janet Jared Jason Javier Jay Jean
    Jeff Jeffrey Jennifer Jenny Jens Jensen Jeremy Jerome Jerry Jesse Jessica Jill Jim Jimmy Joan Joanna Joe Joel Johan
    Johann Johannes John Jon Jonas Jonathan Jonathon Jordan Jorge Jose Joseph Joshua Juan Judith Julia Julian Julie
    Julius Justin Karen Karl Kate Katherine Kathleen Kathryn Katie Keith Kelly Ken Kenneth Kent Kevin Kim Kimberly Kurt
    Kyle Larry Lars Laura Lauren Laurence Lawrence Lea Lee Leo Leon Leonard Leslie Lewis Liam Lila Linda Lisa Liz Lloyd
    Logan Lois Lorenzo Louis Louise Luc Lucas Lucy Luis Luke Lydia Lynn Marc Marco Marcus Margaret Maria Marie Marilyn
    Mario Marissa Mark Marta Martha Martin Mary Mathias Matt Matthew Maurice Max Megan Melanie Melissa Michael Michel
    Michelle Miguel Mike Milton Mira Mohamed Mohammed Monica Mustafa Nancy Natalie Natasha Nathan Neil Niall
    Nicholas Nick Nicolas Nicole Niels Nigel Nikola Nina Noah Noam Nora Norman Oliver Olivia Omar Oscar Otto Owen Pablo
    Pamela Pat Patricia Patrick Paul Paula Pedro Peter Phil Philip Philippe Phillip Pierre Priya Rachel Rafael Raj Ralph
    Ravi Ray Raymond Rebecca Reed Reid Richard Rick Rob Robert Roberta Roberto Robin Rodney Roger Roland Ron Ronald Rosa
    Rose Ross Roy Russell Ruth Ryan Sally Sam Samantha Samuel Sandra Sanjay Sara Sarah Satya Scott Sean Sebastian Serge
    Sergei Sergey Seth Shane Shantanu Sharon Sheila Sheryl Shirley Simon Sofia Sonia Sophia Sophie Stanley Stefan
    Stefano Stella Stephan Stephanie Stephen Steve Steven Stewart Stuart Sundar Susan Sven Sylvia Tamara Tara Ted
    Terence Teresa Terry Theodore Theresa Thomas Tim Timothy Tina Todd Tom Tommy Toni Tony Tracy Travis Ursula Valerie
    Vanessa Vera Vernon Veronica Victor Victoria Vincent Vint Virginia Vivian Vladimir Walter Wanda Warren Wayne Wendy
    Werner Wilhelm Will William Wojciech Xavier Yann Yasmin Yoshua Yuri Yves Zachary Zoe
    """.split()
)
AMBIGUOUS_GIVEN = frozenset(
    "Will Grace Rose Grant Mark Bill Jordan Virginia Victoria Dean Reed Ray Rob Pat Max Jan May Guy Stella Carol Jay "
    "Chad Charlotte Florence Austin Jackson Lloyd Stanley Wayne Lewis Clark Glenn Kent Iris Clara Santa San "
    "Chase".split()
)
"""Given names that are words or places too: they alone do not show a person."""

PERSON_VERBS = frozenset(
    "said says was wrote born joined left studied worked argued believed thought told resigned died married grew "
    "graduated taught voted recalled explained took received won shared succeeded".split()
)
NOT_SURNAMES = frozenset(
    "Street Avenue Road Square Park Bridge Award Prize Tower Center Centre Station Cup Day Island County Lake River "
    "Hall House Hill Hotel Beach Medal Theorem Law Effect Model Show Bay City".split()
)

NEVER_SURNAMES = frozenset(
    "Avenue Award Awards Prize Medal Cup Trophy Championship Theorem Effect Station County Playfield Stadium Arena "
    "Airport Boulevard Theatre Theater Tournament Gymnasium Reservoir".split()
)
"""Last words of names that are called after somebody: *Stanley Cup*, *Bobby Morris Playfield*."""

PREPOSITIONS = frozenset("of to for in on at by with".split())
"""Behind one of these the last word of a name is not its head: *Denial of Service*."""

TITLE_SMALL = frozenset("a an the of for in on at to and or nor but with by from as vs via into your our".split())
"""Words that a title writes small."""

MERE_LETTERS = frozenset(
    "API APIs UI UIs UX CLI CLIs GUI IDE IDEs SDK SDKs ID IDs PR PRs URL URLs URI URIs OS CI CD FAQ FAQs UTC GMT R&D "
    "Q&A TBD TBA TODO FYI WIP ETA EOD COB AFK ASAP KB MB GB TB PB KiB MiB GiB TiB".split()
)
"""Letters that everybody uses as words: no thing of its own is called so."""

DOCUMENT_HEADS = frozenset("Handbook Guide Guidebook Manual Playbook Newsletter Charter Roadmap Report Wiki".split())
"""Words that make a name one of something written when they end it."""

TERM_HEADS = frozenset(
    "Description Policy Form Plan Agreement Template Memo Promotion Schedule Leave Clause Notice Request Requirement "
    "Requirements Framework Process Procedure Procedures Checklist Worksheet Survey Assessment Element Attribute "
    "Certificate Statement Level Rate Status Period Role Rule Rules Standard Standards Training Benefits Perks Ethics "
    "License Licence Guidelines Policies Practices Principles Values Responsibilities Expectations Objectives "
    "Goals".split()
)
"""Words that make a name a term when they end it."""
