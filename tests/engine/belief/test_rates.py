"""How often the judge is right on pairs that it was not written for one by one: shares, not single answers.

Many of the changes share hardly a word with what they change, and no rule of words will find them all. The bounds hold
what is reached; they are there to be raised.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.embedders.minilm import MiniLM
from recollect.engine.belief import Said, Verdict, judge, settle

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SPACES = Path(__file__).with_name("true_at_once.txt").read_text(encoding="utf-8").split("\n\n")
NEAREST = 3
REPETITIONS = ("reinforce", "restate")

# The new one makes the old one untrue; with the likeness that MiniLM finds between the two.
CHANGES = [
    (
        "The porter's lodge is staffed round the clock.",
        "Nobody sits in the porter's lodge at night, ring the bell twice.",
        0.43,
    ),
    ("We bake the rye in tins.", "Rye goes free-form on the stone, tins made the crust soft.", 0.63),
    ("Tilda handles the Norwegian accounts.", "Norway is with Casper, Tilda does onboarding.", 0.67),
    ("My running shoes are Asics.", "Got a pair of Hokas, finally no blisters.", 0.27),
    ("The van holds seven.", "We took out the back row, four people fit in the van.", 0.52),
    ("I go to bed at eleven.", "in bed by half past nine, doctor's orders", 0.44),
    ("Our newsletter goes out weekly.", "Newsletter: once a month is plenty, Greta decided.", 0.65),
    ("The greenhouse is heated with gas.", "There's a heat pump humming behind the greenhouse, no gas bill.", 0.66),
    ("Samples are shipped by DHL.", "Couriers: samples travel with TNT, DHL broke three vials.", 0.65),
    ("I drink my tea with sugar.", "no sugar in my tea please, dentist", 0.73),
    ("The rehearsal room can be booked at short notice.", "Rehearsal room has to be reserved four weeks ahead.", 0.75),
    ("Jonah's nickname is Badger.", "everyone calls Jonah 'Professor'", 0.71),
    ("Mein Hausarzt ist Dr. Keil.", "Dr. Keil praktiziert nicht mehr, ich gehe zu Frau Dr. Sommer.", 0.70),
    ("Die Bibliothek öffnet um zehn.", "Die Bibliothek macht erst um elf auf.", 0.72),
    ("Wir heizen mit Öl.", "Öl war gestern, bei uns läuft eine Wärmepumpe.", 0.52),
    ("Das Passwort für das WLAN ist Amsel7.", "WLAN-Passwort: Zeisig9", 0.55),
    ("La bibliothécaire s'appelle Odile.", "C'est Hervé qui tient la bibliothèque.", 0.76),
    ("Je prends le train de 7 h 12.", "Je pars avec celui de 7 h 40, on dort mieux.", 0.65),
    ("Le garage accepte les chèques.", "Au garage, plus de chèques, carte ou espèces.", 0.72),
    ("El gimnasio cuesta 30 euros al mes.", "El gimnasio sube a 36 al mes.", 0.76),
    ("No como carne.", "He vuelto a comer carne, sobre todo pollo.", 0.61),
    ("Il dottore riceve il lunedì.", "Il dottore riceve mercoledì mattina.", 0.81),
    ("Onze vergaderruimte is op de derde verdieping.", "We vergaderen op de begane grond, de derde is verhuurd.", 0.64),
    ("O meu chefe é o Rui.", "Quem manda na equipa é a Sílvia, o Rui foi para o Porto.", 0.57),
    ("Mötet är på tisdagar.", "Mötet är på torsdagar.", 0.76),
    ("I own a motorbike.", "The motorbike went to my cousin for 900 euros.", 0.55),
    ("The crane may run at night.", "Council says: crane off between ten and six.", 0.45),
    ("Chlorine is dosed by hand.", "A pump doses the chlorine.", 0.67),
    ("I can't stand the smell of coffee.", "coffee every morning, who would have thought", 0.55),
    ("The exhibition is free for students.", "Students pay 4 euros for the exhibition.", 0.59),
    ("Wolfgang is afraid of dogs.", "Wolfgang adopted a puppy, he walks it every day.", 0.57),
    ("The old mill belongs to the Pereiras.", "Pereiras sold up: the mill is the village's.", 0.78),
    ("Mail for the museum goes to PO box 19.", "museum's postal address: Kirkgate 3, the box was given up", 0.60),
    ("Lessons are in the small hall.", "small hall is a store room, lessons happen upstairs", 0.83),
    ("I'm a student of law.", "I do history, law was my father's idea.", 0.52),
    ("Seed potatoes: Agria", "seed potatoes: Ditta, Agria got blight", 0.80),
    ("shift lead nights = Boris", "shift lead nights = Amal", 0.69),
    ("We allow two guests per member.", "One guest per member, the committee voted.", 0.64),
    ("The app stores photos on the phone only.", "Photos go to our own cloud from the app.", 0.71),
    ("Kitchen porter is Milo", "Milo's off to college. Suki washes up.", 0.46),
    ("The well water is safe to drink.", "Lab found nitrates, don't drink from the well.", 0.56),
    ("Bus 9 stops at the school.", "Bus 9 goes straight past the school.", 0.88),
    ("The archive is on paper.", "Everything in the archive was scanned, the paper is gone.", 0.70),
    ("Laundry is picked up on Mondays.", "Laundry pickup is a Thursday thing.", 0.78),
    ("I have no children.", "Our daughter was born on Sunday!", 0.19),
    ("Max load on the gallery: 200 kg.", "gallery max load 150 kg acc. to the engineer", 0.81),
    ("Hosting is with Strato.", "Our site sits on a Hetzner box.", 0.35),
    ("The director wants slides.", "director: no slides, a two-page memo", 0.71),
    ("Carla is single.", "Carla got married in June.", 0.74),
    ("I'm left-handed with the racket.", "After the injury I hold the racket in my right hand.", 0.70),
    ("Our supplier for flour is Drax mill.", "Flour comes from Hobson's.", 0.60),
    ("I weigh 82 kilos.", "scale says 76, six gone", 0.22),
    ("Tests run on every push.", "Tests run once a night, the runners were too dear.", 0.60),
    ("The kids walk to school.", "the kids take the bus to school", 0.68),
]
# Both are true.
CALM = [
    ("The boat is moored at pier 3.", "The boat was painted at the yard in Lorient.", 0.48),
    ("Ulrike teaches chemistry.", "Ulrike has two horses.", 0.53),
    ("The north field is under wheat.", "The south field is under barley.", 0.73),
    ("My brother is a baker.", "My uncle is a butcher.", 0.47),
    ("The printer on the second floor is broken.", "The printer on the first floor is new.", 0.76),
    ("Lunch for the crew is at one.", "Lunch for the guests is at half past twelve.", 0.59),
    ("Ravi leads the mobile team.", "Ravi plays cricket on Sundays.", 0.56),
    ("The concert costs 20 euros.", "The concert starts at eight.", 0.48),
    ("The concert starts at eight.", "The concert ends at about ten.", 0.76),
    ("Bea's birthday is in March.", "Bea's exam is in May.", 0.69),
    ("Die Küche ist gelb.", "Das Bad ist weiß.", 0.57),
    ("Le chat dort sur le lit.", "Le chien dort dans l'entrée.", 0.59),
    ("Mi hermana vive en Sevilla.", "Mi hermana trabaja en un banco.", 0.67),
    ("Tank 2 holds 400 litres.", "Tank 2 was cleaned in April.", 0.52),
    ("Vaccine A is kept at 4 degrees.", "Vaccine B is kept at -20 degrees.", 0.82),
    ("We have a cat.", "We have two rabbits as well.", 0.50),
    ("The red folder is for invoices.", "The green folder is for contracts.", 0.63),
    ("I like jazz.", "I like old films.", 0.36),
    ("The gate code is 4411.", "The garage code is 9021.", 0.55),
    ("Line 4 runs every ten minutes.", "Line 6 runs every quarter of an hour.", 0.76),
    ("Olga's desk is by the window.", "Olga's laptop is a ThinkPad.", 0.56),
    ("The summer camp is in Bled.", "The winter camp is in Zermatt.", 0.43),
    ("Mr Hale pays by invoice.", "Mr Hale wants delivery before nine.", 0.53),
    ("The oven needs 20 minutes to heat up.", "The oven is from 2011.", 0.53),
    ("Theo reads Le Monde.", "Theo's wife reads Libération.", 0.57),
    ("I was in Oslo in 2018.", "I was in Bergen in 2021.", 0.60),
    ("The lease on the shop ends in June.", "The lease on the flat ends in September.", 0.68),
    ("Version 3 supports Windows.", "Version 3 needs 2 GB of memory.", 0.59),
    ("Ward 2 has visiting hours from two to four.", "Ward 2 has eleven beds.", 0.63),
    ("Kata is vegan.", "Kata's sister eats fish.", 0.59),
    ("Our German customers want invoices on paper.", "Our Dutch customers want them by mail.", 0.49),
    ("Pump A was serviced in May.", "Pump A delivers 40 litres a minute.", 0.49),
    ("Jo runs the bakery in Ems.", "Jo's mother runs the bakery in Lahn.", 0.73),
    ("I'm allergic to cats.", "I'm allergic to penicillin too.", 0.54),
    ("The Tuesday class is for beginners.", "The Friday class is for advanced students.", 0.67),
    ("Sina's train leaves at 8:04.", "Sina's meeting starts at 10:30.", 0.59),
    ("The museum shop sells postcards.", "The museum café sells cake.", 0.45),
    ("No dogs in the dining room.", "No smoking in the dining room.", 0.57),
    ("Order 77 contains six chairs.", "Order 78 contains four tables.", 0.59),
    ("Building C has solar panels.", "Building C has a bike cellar.", 0.58),
    ("Don't call Mr Adler before ten.", "Mr Adler prefers letters.", 0.57),
    ("The staging server is called Wren.", "The production server is called Heron.", 0.61),
    ("Our Lisbon office has 12 desks.", "Our Lisbon office is near the river.", 0.52),
    ("Mara speaks Greek.", "Mara wrote her thesis on bees.", 0.35),
    ("The invoice template is in Word.", "The contract template is in Google Docs.", 0.59),
    ("The pool is 25 metres long.", "The pool opens at six.", 0.52),
]
# The same, said again.
AGAIN = [
    ("The depot gate is locked at 19:00.", "They lock the depot gate at 19:00, as you know.", 0.90),
    ("Milo is afraid of thunder.", "Thunder frightens Milo.", 0.88),
    ("The newsletter goes out on the first Monday.", "First Monday of the month: newsletter.", 0.79),
    ("I take two sugars in my coffee.", "two sugars in coffee for me, thanks", 0.86),
    ("Our accountant is Mrs Feld.", "Mrs Feld does our accounts.", 0.76),
    ("Backups are kept for 30 days.", "We hold on to backups for 30 days, then they're deleted.", 0.84),
    ("Platform 4 is closed for repairs.", "There are repairs on platform 4, it's closed.", 0.94),
    ("Invoices have to be paid within 14 days.", "Payment term for invoices is 14 days.", 0.90),
    ("Sara is on the night shift.", "Sara works nights.", 0.81),
    ("The lab fridge must stay below 5 degrees.", "Keep the lab fridge under 5 degrees at all times.", 0.89),
    ("Do not water the orchids more than once a week.", "Orchids: water once a week at most.", 0.90),
    ("The API returns dates in UTC.", "All dates coming out of the API are UTC.", 0.88),
    ("Jonas is vegetarian.", "Jonas doesn't eat meat, he's a vegetarian.", 0.91),
    ("We meet at the north entrance.", "Meeting point is the north entrance, next to the bike racks.", 0.59),
    ("My sister lives in Turin.", "My sister lives in Turin with her two kids, near the river.", 0.87),
    ("The contract runs until December 2027.", "Contract end: December 2027, notice period three months.", 0.80),
    ("Deploys need a ticket.", "Every deploy needs a ticket in the tracker, Petra checks.", 0.65),
    ("I prefer aisle seats.", "aisle seat for me as always", 0.83),
    ("Der Zug nach Bern fährt auf Gleis 7.", "Nach Bern geht es auf Gleis 7.", 0.88),
    ("Ich vertrage keine Laktose.", "Denk dran: Laktose vertrage ich nicht.", 0.76),
    ("Le musée ferme à 18 h.", "Le musée ferme ses portes à 18 h, dernière entrée 17 h 15.", 0.87),
    ("Mi vuelo sale a las 9:40.", "El vuelo sale a las 9:40 de la terminal 2.", 0.80),
    ("Visitors must sign in at the desk.", "All visitors sign in at the desk first.", 0.81),
    ("Tank 3 holds 900 litres.", "Capacity of tank 3 is 900 litres.", 0.93),
    ("The choir rehearses in the chapel.", "Choir rehearsals are held in the chapel.", 0.89),
    ("Nina's birthday is on 3 May.", "3 May is Nina's birthday, she turns nine.", 0.88),
    ("We only ship within the EU.", "Shipping: EU only.", 0.79),
    ("Kiln 2 must not go above 1,200 degrees.", "never fire kiln 2 hotter than 1,200 degrees", 0.82),
]


def verdict(old: str, new: str, likeness: float) -> Verdict | None:
    return judge(
        Said(content=new, speaker="user", when=NOW + timedelta(days=30)),
        Said(content=old, speaker="user", when=NOW),
        likeness,
    )


def test_half_of_the_changes_in_quite_other_words_are_noticed() -> None:
    found = [pair for pair in CHANGES if (it := verdict(*pair)) is not None and it.rule not in REPETITIONS]

    assert len(found) >= 0.5 * len(CHANGES)


def test_what_looks_alike_is_seldom_doubted_and_never_retired() -> None:
    found = [it for pair in CALM if (it := verdict(*pair)) is not None]

    assert len(found) <= 0.16 * len(CALM)
    assert not any(it.retires for it in found)


def test_most_of_what_is_said_again_in_other_words_is_recognised() -> None:
    found = [pair for pair in AGAIN if (it := verdict(*pair)) is not None and it.rule in REPETITIONS]

    assert len(found) >= 0.75 * len(AGAIN)


@pytest.mark.parametrize("space", SPACES, ids=["hotel", "team", "home"])
def test_in_a_space_where_all_is_true_hardly_anything_is_doubted(space: str) -> None:
    statements = space.splitlines()
    vectors = MiniLM().embed(statements)
    likeness = vectors @ vectors.T

    doubts, retired = 0, 0
    for n, new in enumerate(statements):
        near = sorted(range(n), key=lambda other: -likeness[n, other])[:NEAREST]
        judged = [(k, verdict(statements[k], new, float(likeness[n, k]))) for k in near]
        settled = settle((k, it) for k, it in judged if it is not None)
        doubts += sum(not it.retires for _, it in settled)
        retired += sum(it.retires for _, it in settled)

    assert retired == 0
    assert doubts <= 0.1 * len(statements)
