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
    professor pronouns provided providers public purpose put quarter question questions quick quickly quite quoth rather
    read reading ready real really reasons recent recently recruiters references regarding regardless related
    remember rents report reported reports respondents responding restaurants result results retail retailers return
    revenue right run sales
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
    "three four five hence thence thereupon dear former late young early mr mrs ms dr sir dame lord lady professor "
    "prof president ceo chairman chairwoman founder director minister senator governor mayor "
    "either furthermore however lest meanwhile moreover neither nevertheless nonetheless nor notwithstanding otherwise "
    "therefore thus unless whenever whereas whereby wherever whether whilst "
    "analyst economist see via per than where who what how why to of is was are were has had will can may "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december spring summer autumn winter".split()
)
"""Words (lower case) that may stand before a name in a run of capitals without being part of it."""

PERSON_TITLES = frozenset(
    "mr mrs ms dr sir dame lord lady professor prof president ceo chairman chairwoman senator governor mayor".split()
)
"""Of the words before a name, those that say that a person follows."""

RANK_OF = (
    r"(?:(?:Grand|Crown|Prince)[ -])?(?:Abbess|Abbot|Archbishop|Archduchess|Archduke|Baron|Baroness|Bishop|Count|"
    r"Countess|Duchess|Duke|Earl|Elector|Emir|Emperor|Empress|King|Landgrave|Margrave|Marquess|Marquis|Prince|Princess|Queen|"
    r"Sultan|Tsar|Viscount) of "
)
"""A rank of nobles or of the church, before the place of it: *Queen of Orm*."""
STRONG_SUFFIXES = frozenset(
    "Inc Incorporated Corp Corporation Ltd Limited LLC PLC plc GmbH AG SA NV BV LLP Bros Holdings OÜ Oy ApS SARL "
    "Sàrl".split()
)
"""What only names of organisations end in."""

ORGANIZATION_HEADS = frozenset(
    "University College Institute Bank Bancorp Company Co Group Association Society Foundation Agency Bureau "
    "Department Ministry Commission Committee Council Authority Administration Office Board Court Union Federation "
    "League Party Academy School Hospital Laboratory Laboratories Labs Lab Museum Library Fund Trust Partners Capital "
    "Ventures Technologies Systems Industries Airlines Airways Motors Pharmaceuticals Studios Records Press Times Post "
    "Journal News Networks Platforms Organization Organisation Senate Parliament Congress Church Navy Army Guard Corps "
    "Club Exchange Insurance Semiconductor Electronics Entertainment Productions Enterprises Solutions Securities "
    "Communications Telecom Pictures Consortium Realtors Reserve Service Services Workers Workgroup Alliance Coalition "
    "Conservancy Fed".split()
)
"""Words that name an organisation when they end a name, or stand before ``of`` or ``for`` in it."""

WEAK_HEADS = frozenset(
    "Service Services Solutions Records Office Library Press Authority Platforms News Systems Union Academy "
    "Guard Post Times Exchange Lab Club".split()
)
"""Of those, the ones that with one word before them may be any label: they need more evidence."""

GENERIC_HEADS = frozenset(
    "University College Institute Bank Company Group Department Ministry Commission Committee Council Office "
    "Board Court Service Services Reserve Systems Solutions News Press School Union Fund Trust Party Labs Lab Club "
    "Workgroup".split()
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
SIDES = frozenset("Confederate Confederates Loyalist Loyalists Royalist Royalists Unionist Unionists".split())
"""What those of one side of a war are, which the tagger takes for a body."""

GIVEN_NAMES = frozenset(
    """
    Aarav Aaron Abdul Abdullah Abhishek Abigail Adam Adele Aditya Adnan Adrian Agnes Agnieszka Ahmad Ahmed Aidan Aisha
    Ajay Akash Akira Akshay Alan Albert Alec Alejandra Alejandro Aleksander Aleksandr Alena Alessandra Alessandro Alex
    Alexander Alexandra Alexandre Alexei Alexey Alexis Alice Alicia Alina Alison Alistair Allan Allen Alvaro Amanda
    Amelia Amina Amir Amit Amrita Amy Ana Anatoli Anatoly Anders Andre Andrea Andreas Andrei Andrej Andreja Andres
    Andrew Andrzej Andrés Andy Angela Angelo Angus Anika Anil Anita Anja Anjali Ankit Ankur Ann Anna Anne Annika Anthony
    Antoine Anton Antonia Antonina Antonio Anuj Anurag Arash Aravind Ari Arjun Arnaud Arne Arnold Arthur Arun Arvind
    Ashish Ashley Ashok Aurélien Ayesha Balázs Barack Barbara Barry Bartosz Bastian Beatrice Beatriz Ben Benjamin Benoit
    Benoît Bernard Bernhard Bernie Bert Beth Bettina Bill Birgit Björn Bob Bobby Bogdan Bojan Boris Brad Bradley Brandon
    Brenda Brendan Brett Brian Brigitte Bruce Bruno Bryan Caleb Camila Camille Carl Carla Carlos Carol Carolina Caroline
    Catalina Catherine Cecilia Cedric Celine Cesar Chad Charles Charlie Charlotte Chen Chiara Chloe Chris Christian
    Christina Christine Christoph Christophe Christopher Claire Clara Clark Claude Clayton Clémence Clément Colette
    Colin Connor Constantin Corinne Cornelia Craig Cristian Cristina Curtis Cynthia Cécile Cédric Céline César Dagmar
    Damian Damien Dan Dana Danica Daniel Daniela Daniele Danielle Daphne Dario Darko David Davide Dean Deborah Deepak
    Deepika Dejan Demis Denis Denise Dennis Derek Dhruv Diana Diane Didier Diego Dieter Dimitri Dinesh Dirk Divya Dmitri
    Dmitry Dominik Dominique Don Donald Donna Doris Dorota Dorothy Doug Douglas Dragan Duncan Dustin Dylan Ed Eddie
    Edgar Edoardo Eduard Eduardo Edward Edwin Eileen Ekaterina Elaine Eleanor Elena Eli Elias Elisa Elisabeth Elise
    Elizabeth Ella Ellen Elodie Elon Elsa Elsie Emanuel Emil Emilia Emilie Emilio Emily Emma Emmanuel Enrico Enrique
    Eric Erica Erik Erika Erin Ernest Ernesto Esra Estelle Esther Ethan Etienne Eugene Eugenia Eugenio Eva Evan Eve
    Evelyn Ewa Ezio Fabian Fabio Fabrice Farah Farhan Fatima Federica Federico Felipe Felix Fernando Filip Filippo Fiona
    Florian
    Frances Francesca Francis Francisco Francois Frank Franklin Franz Franziska François Françoise Fred Frederick Freya
    Friedrich Gabriel Gary Gaurav Gavin Geert Geoff Geoffrey Georg George Georgina Gerald Gerard Gerhard Giacomo
    Gianluca Gilles Giorgio Giovanni Giulia Giuseppe Glenn Gloria Gonzalo Goran Gordon Grace Graham Grant Greg Gregor
    Gregory Grzegorz Guido Guillaume Guillermo Gunnar Gunther Gustav Gustavo Guy Hamza Hannah Hans Harald Harini Harold
    Harriet Harry Haruki Harvey Hasan Hassan Heather Hector Heike Heinrich Helen Helga Helmut Hendrik Henri Henrik Henry
    Herbert Hideo Hiroshi Holly Horst Howard Hristo Hugh Hugo Hussein Ian Ibrahim Ida Ignacio Igor Ihor Ilaria Ilya
    Imran Ingo Ingrid Ioana Irene Irina Iris Isaac Isabel Isabella Isabelle Ismail Ivan Ivana Jack Jackie Jacob
    Jacqueline Jacques Jaime Jake Jakob Jakub Jamal James Jamie Jan Jane Janet Janez Janina Janusz Jared Jaroslav Jason
    Javier Jay Jean Jeff Jeffrey Jennifer Jenny Jens Jensen Jeremy Jerome Jerry Jesse Jessica Jill Jim Jimmy Joachim
    Joan Joanna Joanne Joao Joaquin Joaquín Jochen Joe Joel Johan Johann Johanna Johannes John Jolanta Jon Jonas
    Jonathan Jonathon Jordan Jorge Jose Josef Josefina Joseph Joshua Josip José João Juan Judith Juergen Julia Julian
    Juliana Juliane Julie Julien Juliette Julius Justin Jérôme Jörg Jürgen Kamal Karen Karim Karin Karl Karol Karolina
    Karthik Kasper Katarina Katarzyna Kate Katharina Katherine Kathleen Kathrin Kathryn Katie Katja Katrin Kavita Kazuki
    Keiko Keith Kelly Ken Kenji Kenneth Kent Kevin Khalid Kim Kimberly Kiran Kirill Kirsten Klaus Konstantin Kristian
    Kristin Kristina Krzysztof Kurt Kyle Lachlan Ladislav Lakshmi Larry Lars Laszlo Laura Lauren Laurence Laurent
    Lawrence Lea Leandro Lee Leila Lennart Leo Leon Leonard Leonardo Leonie Leslie Leticia Lewis Liam Lidia Lila Linda
    Lisa Liz Lloyd Logan Lois Lorena Lorenzo Lothar Louis Louise Luc Lucas Luciano Lucie Lucy Ludwig Luigi Luis Luisa
    Luise Lukas Lukasz Luke Lydia Lynn László Maciej Madalena Magdalena Malcolm Malgorzata Manfred Manish Manoj Manon
    Manuel Manuela Marc Marcel Marcela Marcelo Marcin Marco Marcus Marek Margaret Margaux Margot Maria Mariana Marianne
    Mariano Marie Marija Marilyn Marina Mario Marissa Mariusz Marjan Mark Marko Markus Marlene Marta Martha Martin Mary
    Matej Mateo Mateusz Mathias Matias Matt Matteo Matthew Matthias Matthieu Mattia Matías Maurice Mauricio Maurizio Max
    Maxime Maximilian Małgorzata Meera Megan Mehmet Melanie Melissa Mette Michael Michaela Michal Michał Michel Michelle
    Miguel Mikael Mike Mikhail Milena Milos Miloš Milton Mira Miriam Mirjam Miroslav Mohamed Mohammad Mohammed Mohan
    Mohit Monica Moritz Muhammad Murat Mustafa Nadine Nancy Naoko Naomi Natalia Natalie Natalya Natasha Nathalie Nathan
    Navin Neeraj Neha Neil Niall Nicholas Nick Nicola Nicolas Nicole Nicoletta Niels Nigel Nikhil Nikita Nikola Nikolai
    Nikolaus Nikos Nils Nina Nisha Nitin Noah Noam Nora Norman Oksana Olaf Oleg Oleksandr Olga Oliver Olivia Olivier
    Omar Orla Osama Oscar Otto Owen Pablo Pamela Paola Paolo Pascal Pat Patricia Patrick Paul Paula Pauline Pavel Pawel
    Paweł Pedro Pekka Pernille Petar Peter Petr Petra Phil Philip Philipp Philippe Phillip Pierre Piotr Pooja Prakash
    Pranav Prashant Praveen Priya Priyanka Przemysław Rachel Radek Radoslav Rafael Rafał Rahul Rainer Raj Rajesh Ralf
    Ralph Ramesh Ramon Ramón Raquel Rashid Raul Ravi Ray Raymond Raúl Rebecca Reed Reid Reinhard Renata Renate Renato
    René Renée Ricardo Riccardo Richard Rick Rishi Rob Robert Roberta Roberto Robin Rodney Rodrigo Roger Rohan Rohit
    Roland Romain Ron Ronald Rosa Rosalind Rose Ross Roy Ruben Rubén Rupert Russell Ruth Ryan Rüdiger Sabine Sachin
    Sally Salma Sam Samantha Samir Samuel Sandeep Sandra Sandrine Sanjay Sanjeev Sara Sarah Sascha Saskia Satoshi Satya
    Saurabh Scott Sean Sebastian Serena Serge Sergei Sergey Sergio Seth Shane Shantanu Sharon Sheila Sheryl Shirley
    Shivani Shweta Sigrid Silke Silvia Silvio Simon Simona Simone Siobhan Slavko Sneha Snezana Sofia Soledad Sonia
    Sophia Sophie Soren Srinivas Stanislav Stanisław Stanley Stefan Stefano Stella Stephan Stephane Stephanie Stephen
    Steve Steven Stewart Stuart Stéphane Sundar Suresh Susan Susana Susanna Susanne Suzanne Sven Swati Sylvain Sylvia
    Sylvie Szymon Sébastien Sönke Søren Tadeusz Takashi Tamara Tamás Tanja Tanya Tara Tariq Tarun Tatiana Tatjana Ted
    Terence Teresa Terry Theodore Theresa Thierry Thomas Thorsten Tiago Tilman Tim Timothy Tina Tobias Todd Tom Tomas
    Tomasz Tommy Tomás Tomáš Toni Tony Torsten Tove Tracy Travis Tuomas Udo Ulf Ulises Ulrich Ulrike Umberto Ursula Usha
    Uwe Valentina Valeria Valerie Valérie Vanessa Vasily Vera Vernon Veronica Verónica Victor Victoria Vikram Viktor
    Viktoria Vinay Vincent Vincenzo Vint Virginia Virginie Vishal Vivek Vivian Vlad Vladimir Vladislav Vojtěch Volker
    Václav Véronique Walter Wanda Warren Wayne Wendy Werner Wiebke Wiktor Wilhelm Will Willem William Wojciech Wolfgang
    Xavier Yann Yasmin Yasmine Yogesh Yoko Yolanda Yoshua Youssef Yuki Yulia Yuri Yury Yusuf Yves Yvonne Zachary
    Zdeněk Zoe
    Zofia Zoltan Zoltán Zsolt Zuzana Álvaro Émile Étienne Øyvind Łukasz Željko
    """.split()
)
AMBIGUOUS_GIVEN = frozenset(
    "Will Grace Rose Grant Mark Bill Jordan Virginia Victoria Dean Reed Ray Rob Pat Max Jan May Guy Stella Carol Jay "
    "Chad Charlotte Florence Austin Jackson Lloyd Stanley Wayne Lewis Clark Glenn Kent Iris Clara Santa San "
    "Chase".split()
)
"""Given names that are words or places too: they alone do not show a person."""
CLEAR_GIVEN = GIVEN_NAMES - AMBIGUOUS_GIVEN
"""Given names that are nothing else."""

PERSON_VERBS = frozenset(
    "said says was wrote born joined left studied worked argued believed thought told resigned died married grew "
    "graduated taught voted recalled explained took received won shared succeeded".split()
)
NOT_SURNAMES = frozenset(
    "Street Avenue Road Square Park Bridge Award Prize Tower Center Centre Station Cup Day Island County Lake River "
    "Hall House Hill Hotel Beach Medal Theorem Law Effect Model Show Bay City".split()
)

PARTS_OF_PROGRAMS = frozenset(
    "Buildpack Cells Cluster Clusters Container Containers Controller Daemon Deployment Endpoint Executor Instance "
    "Instances Node Nodes Operator Plugin Queue Registry Release Releases Router Runtime Scheduler Server Servers "
    "Tasks VM VMs Workers".split()
)
"""Behind a name that looks like somebody's: a part of the program that is called so, *Diego Cells*."""

NEVER_SURNAMES = frozenset(
    "Avenue Award Awards Prize Medal Cup Trophy Championship Theorem Effect Station County Playfield Stadium Arena "
    "Airport Boulevard Theatre Theater Tournament Gymnasium Reservoir Project Projects Rights Springs Falls Heights "
    "Universities Colleges Home".split()
)
"""Last words of names that are called after somebody: *Stanley Cup*, *Bobby Morris Playfield*."""

NO_SURNAMES = frozenset(
    "Cloud Code Community Contributors Desktop Docs Enterprise Hub Initiative Lite Maintainers Online Platform Plus "
    "Premium Pro Project Projects Rights Software Studio Team Tools Ultra".split()
)
"""Last words of names that have a profile or stand among those of people, and are nobody's: *Acme Project*."""

SHORT_GIVEN = {
    "abby": "abigail", "andy": "andrew", "ben": "benjamin", "bob": "robert", "cathy": "catherine", "dan": "daniel",
    "dave": "david", "ed": "edward", "fred": "frederick", "greg": "gregory", "jeff": "jeffrey", "jim": "james",
    "joe": "joseph", "josh": "joshua", "ken": "kenneth", "matt": "matthew", "mike": "michael", "mitch": "mitchell",
    "nate": "nathaniel", "nick": "nicholas", "phil": "philip", "rob": "robert", "ron": "ronald", "steve": "steven",
    "tim": "timothy", "tom": "thomas", "will": "william", "zach": "zachary",
}  # fmt: skip
"""Short forms of given names that stand for one of them alone, in small letters."""

PREPOSITIONS = frozenset("of to for in on at by with".split())
"""Behind one of these the last word of a name is not its head: *Denial of Service*."""

TITLE_SMALL = frozenset("a an the of for in on at to and or nor but with by from as vs via into your our".split())
"""Words that a title writes small."""

MERE_LETTERS = frozenset(
    "API APIs UI UIs UX CLI CLIs GUI IDE IDEs SDK SDKs ID IDs PR PRs URL URLs URI URIs OS CI CD FAQ FAQs UTC GMT R&D "
    "README READMEs CHANGELOG ChangeLog Changelog NEWS COPYING LICENSE OWNERS LGTM PTAL EOY TLDR Q&A TBD TBA TODO FYI "
    "WIP ETA EOD COB AFK ASAP "
    "GET POST PUT PATCH DB DBs IP IPs LTS PROD PREPROD DEV UAT KB MB "
    "GB TB PB KiB MiB GiB TiB".split()
)
"""Letters that everybody uses as words: no thing of its own is called so."""

DOCUMENT_HEADS = frozenset("Handbook Guide Guidebook Manual Playbook Newsletter Charter Roadmap Report Wiki".split())
"""Words that make a name one of something written when they end it."""

TERM_HEADS = frozenset(
    "Description Policy Form Plan Agreement Template Memo Promotion Schedule Leave Clause Notice Request Requirement "
    "Requirements Framework Process Procedure Procedures Checklist Worksheet Survey Assessment Element Attribute "
    "Certificate Statement Level Rate Status Period Role Rule Rules Standard Standards Training Benefits Perks Ethics "
    "License Licence Guidelines Policies Practices Principles Values Responsibilities Expectations Objectives "
    "Goals Review Reviews Retrospective Readiness Identifier Identifiers".split()
)
"""Words that make a name a term when they end it."""
