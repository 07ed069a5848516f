"""Pairs of statements of many kinds and some languages, with the likeness that MiniLM finds between the two."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.engine.belief import Said, judge

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LATER = NOW + timedelta(days=30)

# The new one makes the old one untrue.
CHANGES = [
    ("user", "The standup is at 9:15.", "user", "Standup starts at 9:45 now", 0.88),
    ("user", "I drive a Corolla.", "user", "Sold the Corolla, we drive a Kia now.", 0.73),
    ("Ops", "Logs are kept for 30 days.", "Ops", "Log retention is 90 days.", 0.73),
    (
        "Ops",
        "The backup job runs at 02:00.",
        "Ops",
        "backup job runs at 04:30, the window clashed with the export",
        0.61,
    ),
    ("user", "My favourite restaurant is Da Gino.", "user", "My favourite restaurant these days is Tanaka's.", 0.63),
    ("PM", "Budget for the booth is 8k.", "PM", "We only have 6k for the booth.", 0.71),
    ("user", "We have lunch at noon.", "user", "lunch is at half past twelve from now on", 0.66),
    ("Ops", "Grafana is at grafana.internal:3000.", "Ops", "Grafana lives at metrics.internal now", 0.65),
    ("user", "Tom is my landlord.", "user", "The house was sold, my landlord is Mrs Pruitt.", 0.54),
    ("HR", "Vacation requests go to Lena.", "HR", "Vacation requests go to Marcus, Lena is on the board now.", 0.77),
    ("user", "I like running in the morning.", "user", "I hate running in the morning, my knees are gone.", 0.74),
    ("user", "My daughter goes to Elm Primary.", "user", "My daughter started at Northgate Secondary.", 0.6),
    ("Ops", "We deploy with Jenkins.", "Ops", "Deployments are done with ArgoCD.", 0.55),
    (
        "Legal",
        "The contract with Fenwick ends in May.",
        "Legal",
        "Contract with Fenwick was extended to December.",
        0.81,
    ),
    ("user", "I take my coffee with milk.", "user", "black coffee for me please, no milk any more", 0.7),
    ("user", "Mein Büro ist in der Lindenstraße 4.", "user", "Mein Büro ist jetzt am Hafenplatz 12.", 0.59),
    ("user", "Ma voiture est une Clio.", "user", "Ma nouvelle voiture est une Zoé.", 0.61),
    ("user", "Vivo en Valencia.", "user", "Me mudé a Bilbao en septiembre.", 0.61),
    ("user", "Il corso di yoga è il martedì.", "user", "Il corso di yoga è il giovedì.", 0.93),
    ("Lab", "Buffer pH is 7.4.", "Lab", "We run the buffer at pH 7.2.", 0.87),
    ("Lab", "The PI is Dr. Wang.", "Lab", "Dr. Osei took over as PI.", 0.53),
    ("Support", "Acme is on the Basic plan.", "Support", "Acme upgraded to Pro.", 0.63),
    ("Support", "Acme's contact is Julie.", "Support", "Julie left Acme, talk to Piotr.", 0.67),
    ("Coder", "We require 80% coverage.", "Coder", "coverage threshold lowered to 70%", 0.66),
    ("user", "I don't eat fish.", "user", "I eat fish again, twice a week.", 0.63),
    ("Ops", "VPN access needs a hardware token.", "Ops", "Hardware tokens are no longer needed for the VPN.", 0.85),
    ("Boss", "Invoices are approved by Karin.", "Boss", "Karin is gone. Invoices are approved by Theo.", 0.73),
    ("user", "I smoke.", "user", "I quit smoking in May.", 0.49),
    ("user", "I eat meat.", "user", "I don't eat meat anymore.", 0.79),
    ("Ops", "Feature flag dark_launch is on.", "Ops", "dark_launch is off since this morning", 0.74),
    ("Ops", "Remote work is allowed on Fridays.", "Ops", "Nobody may work remotely on Fridays from now on.", 0.73),
    ("user", "I can't swim.", "user", "I learned to swim this summer!", 0.61),
    ("Lead", "We support IE11.", "Lead", "IE11 support was dropped.", 0.82),
    ("Lead", "Customers can pay by cheque.", "Lead", "We don't take cheques.", 0.51),
    (
        "Ana",
        "I trust vendor Holt with the prototypes.",
        "Ana",
        "I wouldn't trust Holt with anything after that delivery.",
        0.62,
    ),
    ("QA", "The export button works in Safari.", "QA", "Export button is broken in Safari.", 0.88),
    ("user", "Wir trinken gern Rotwein.", "user", "Rotwein trinken wir nicht mehr.", 0.85),
    ("user", "J'aime travailler le soir.", "user", "Je ne supporte plus de travailler le soir.", 0.8),
    ("user", "Me gusta el fútbol.", "user", "Ya no me gusta el fútbol.", 0.94),
    ("Ops", "Pets are welcome in the office.", "Ops", "No pets in the office, two colleagues are allergic.", 0.67),
    (
        "user",
        "My flight lands at 18:20.",
        "user",
        "What I said about my flight was wrong, I don't have the time yet.",
        0.63,
    ),
    ("user", "Eva is moving to Spain.", "user", "Forget what I said about Eva moving to Spain.", 0.83),
    ("Bot", "The meter reading was 4412.", "Bot", "Please ignore the meter reading, I read the wrong line.", 0.62),
    ("Lab", "Sample 12 is contaminated.", "Lab", "I was wrong about sample 12.", 0.56),
    (
        "user",
        "Der Termin beim Zahnarzt ist am Montag.",
        "user",
        "Das mit dem Zahnarzttermin stimmt nicht, vergiss es.",
        0.56,
    ),
    ("Club", "Coach of the U12s is Ben.", "Club", "Ben moved abroad; the U12s are coached by Farah.", 0.72),
    ("Firm", "Our CFO is Petra Lang.", "Firm", "Petra Lang is leaving, Idris Kamara starts as CFO on Monday.", 0.63),
    ("School", "Head of year 9 is Mr Tate.", "School", "Year 9 has a new head: Ms Okoye.", 0.58),
    ("Ops", "srv-04 -> rack 12", "Ops", "srv-04 -> rack 7", 0.92),
    ("Ops", "wifi pw for guests: bluefin22", "Ops", "guest wifi pw: heron88", 0.65),
    ("Kitchen", "soup of the day: leek", "Kitchen", "soup of the day: tomato", 0.68),
    ("user", "gym membership is 39 a month", "user", "gym went up to 45 a month", 0.77),
    ("Farm", "Tractor is serviced by Brandt.", "Farm", "Tractor goes to Kowalski for service now.", 0.61),
    ("Nurse", "Room 3: Mr Abel, insulin at 8.", "Nurse", "Room 3 Mr Abel insulin moved to 9", 0.87),
    ("PM", "Kickoff with Delta is on 3 March.", "PM", "kickoff w/ Delta postponed to 10 march", 0.83),
    ("user", "my doc is dr hill", "user", "dr hill retired, im with dr baker now", 0.7),
    ("Teacher", "Class 5b has 24 pupils.", "Teacher", "5b is down to 23 pupils", 0.85),
    ("Shop", "Opening hours: 9 to 17.", "Shop", "We're open 10 to 18.", 0.67),
    ("Bot", "Default model is gpt-small.", "Bot", "default model switched to gpt-large", 0.84),
    ("Coach", "Training is in hall 2.", "Coach", "training takes place in hall 5", 0.85),
    ("Dev", "Main branch is called master.", "Dev", "main branch renamed to trunk", 0.6),
    ("Dev", "Tickets are tracked in Jira.", "Dev", "We moved our tickets to Linear.", 0.38),
    ("Dev", "Minimum Python version is 3.9.", "Dev", "We dropped Python 3.9, minimum is 3.11.", 0.87),
    ("user", "Unser Hund heißt Rex.", "user", "Unser neuer Hund heißt Balu.", 0.69),
    ("user", "Der Bus fährt um 7:12 ab.", "user", "Der Bus fährt um 7:25 ab.", 0.95),
    ("Luc", "La réunion est en salle 4.", "Luc", "La réunion est en salle B12.", 0.91),
    ("Luc", "Le loyer est de 800 euros.", "Luc", "Le loyer passe à 850 euros.", 0.87),
    ("Jan", "De vergadering is op maandag.", "Jan", "De vergadering is voortaan op donderdag.", 0.81),
    ("Rui", "O gerente da loja é o Tiago.", "Rui", "A gerente da loja agora é a Marta.", 0.66),
    ("Gio", "Il prezzo del biglietto è 12 euro.", "Gio", "Il biglietto costa 15 euro.", 0.8),
    ("Museum", "Admission is free on Sundays.", "Museum", "Sunday admission costs 5 euros.", 0.65),
    ("Lab", "Centrifuge 2 works fine.", "Lab", "centrifuge 2 is out of order", 0.79),
    ("Port", "Berth 4 is reserved for tugs.", "Port", "Berth 4 is open to everyone.", 0.62),
    ("Law", "Smith is represented by Ms Ray.", "Law", "Smith changed counsel, Mr Cho represents him.", 0.47),
]
# Both are true.
CALM = [
    ("user", "The standup is at 9:15.", "user", "The retro is at 15:00.", 0.53),
    ("user", "I drive a Corolla.", "user", "My wife drives a Kia.", 0.6),
    ("Ana", "I work at Brightline as a nurse.", "Ana", "Brightline has a good canteen.", 0.43),
    ("Ops", "Logs are kept for 30 days.", "Ops", "Metrics are kept for 90 days.", 0.53),
    ("Ops", "The backup job runs at 02:00.", "Ops", "The cleanup job runs at 04:30.", 0.65),
    ("Lead", "Release date for Heron is 12 June.", "Lead", "Release date for Osprey is 3 July.", 0.51),
    ("user", "My favourite restaurant is Da Gino.", "user", "My favourite bar is Tanaka's.", 0.53),
    ("PM", "Budget for the booth is 8k.", "PM", "Budget for travel is 6k.", 0.54),
    ("HR", "Vacation requests go to Lena.", "HR", "Expense reports go to Marcus.", 0.22),
    ("user", "I like running in the morning.", "user", "I like swimming too.", 0.48),
    ("user", "My daughter goes to Elm Primary.", "user", "My son started at Northgate Secondary.", 0.51),
    ("Support", "Acme is on the Basic plan.", "Support", "Acme has 40 seats.", 0.57),
    ("Support", "Acme's contact is Julie.", "Support", "Acme opened a second office in Lyon.", 0.38),
    ("Coder", "Tests run on Node 18.", "Coder", "Tests take 12 minutes.", 0.39),
    ("Coder", "We use Redis for caching.", "Coder", "We use Kafka for events.", 0.32),
    ("user", "I have a meeting with Sara on Monday.", "user", "I have a meeting with Tom on Tuesday.", 0.49),
    ("user", "My sister lives in Oslo.", "user", "My cousin lives in Bergen.", 0.58),
    ("user", "Mein Büro ist in der Lindenstraße 4.", "user", "Mein Fitnessstudio ist am Hafenplatz 12.", 0.43),
    ("user", "Il corso di yoga è il martedì.", "user", "Il corso di pilates è il giovedì.", 0.81),
    ("Lab", "Buffer pH is 7.4.", "Lab", "Sample pH is 7.2.", 0.79),
    ("Ops", "Server A has 64 GB of RAM.", "Ops", "Server B has 128 GB of RAM.", 0.87),
    ("user", "I visited Rome in 2019.", "user", "I visited Athens in 2021.", 0.6),
    ("user", "I'm reading Dune.", "user", "My book club meets on Thursdays.", 0.31),
    ("Ana", "I prefer tea.", "Ben", "I prefer coffee.", 0.75),
    ("Ops", "Invoices are approved by Karin.", "Ops", "Karin is on holiday until Friday.", 0.33),
    ("user", "Our hotel in Rome is the Artemide.", "user", "Our hotel in Naples is the Vesuvio.", 0.54),
    ("user", "The cat is allergic to beef.", "user", "The dog is allergic to chicken.", 0.63),
    ("Coder", "The login page is in React.", "Coder", "The admin page is in Vue.", 0.45),
    ("user", "Mum's birthday is 4 May.", "user", "Dad's birthday is 9 June.", 0.64),
    ("Ops", "Port 8080 is used by the proxy.", "Ops", "Port 9090 is used by Prometheus.", 0.44),
    ("user", "I quit smoking in May.", "user", "My brother smokes.", 0.42),
    ("Ops", "Feature flag dark_launch is on.", "Ops", "Feature flag beta_search is off.", 0.58),
    ("user", "I don't eat meat.", "user", "I don't eat fish.", 0.7),
    ("Ops", "Remote work is allowed on Fridays.", "Ops", "Parking is not allowed on Fridays.", 0.59),
    ("QA", "The export button works in Safari.", "QA", "The import button is broken in Safari.", 0.68),
    ("user", "Eva is moving to Spain.", "user", "Forget what I said about Eva's birthday.", 0.47),
    ("Lab", "Sample 12 is contaminated.", "Lab", "I was wrong about sample 14.", 0.49),
    ("Club", "Coach of the U12s is Ben.", "Club", "Coach of the U14s is Farah.", 0.56),
    ("Firm", "Our CFO is Petra Lang.", "Firm", "Our CEO is Idris Kamara.", 0.38),
    ("Firm", "Petra Lang leads finance.", "Firm", "Petra Lang is on parental leave until March.", 0.53),
    ("user", "Wir trinken gern Rotwein.", "user", "Bier trinken wir nicht.", 0.73),
    ("School", "Head of year 9 is Mr Tate.", "School", "Head of year 10 is Ms Okoye.", 0.57),
    ("user", "Should we switch the CRM to Zoho?", "user", "The CRM is HubSpot.", 0.39),
    ("user", "The CRM is HubSpot.", "user", "We might switch the CRM to Zoho.", 0.42),
    ("user", "The CRM is HubSpot.", "user", "Should we move the CRM to Zoho?", 0.39),
    ("Bot", "Order 551 shipped.", "Bot", "Order 552 was cancelled.", 0.58),
    ("user", "I speak Polish.", "user", "I'm learning Korean.", 0.46),
    ("Ops", "srv-04 -> rack 12", "Ops", "srv-05 -> rack 7", 0.85),
    ("Kitchen", "soup of the day: leek", "Kitchen", "dessert of the day: crumble", 0.38),
    ("Farm", "Tractor is serviced by Brandt.", "Farm", "Combine is serviced by Kowalski.", 0.27),
    ("Nurse", "Room 3: Mr Abel, insulin at 8.", "Nurse", "Room 4: Mrs Bell, insulin at 9.", 0.75),
    ("user", "My bank is Santander.", "user", "Santander has a branch on Mill Road.", 0.57),
    ("Teacher", "Class 5b has 24 pupils.", "Teacher", "5b goes to the zoo on Friday.", 0.43),
    ("Coach", "Training is in hall 2.", "Coach", "The match is in hall 5.", 0.52),
    ("Ana", "My manager is Kurt.", "Ana", "Kurt likes short meetings.", 0.58),
    ("Dev", "Tickets are tracked in Jira.", "Dev", "Jira is slow today.", 0.59),
    ("Dev", "Minimum Python version is 3.9.", "Dev", "Minimum Node version is 18.", 0.51),
    ("user", "Unser Hund heißt Rex.", "user", "Unsere Katze heißt Balu.", 0.62),
    ("user", "Der Bus fährt um 7:12 ab.", "user", "Der Zug fährt um 7:25 ab.", 0.76),
    ("Luc", "La réunion est en salle 4.", "Luc", "Le déjeuner est en salle B12.", 0.65),
    ("Luc", "Le loyer est de 800 euros.", "Luc", "La caution est de 850 euros.", 0.65),
    ("Eva", "El jefe de cocina es Pablo.", "Eva", "Pablo tiene dos hijos.", 0.58),
    ("Jan", "De vergadering is op maandag.", "Jan", "De borrel is op donderdag.", 0.6),
    ("Museum", "Admission is free on Sundays.", "Museum", "The shop is closed on Sundays.", 0.46),
    ("Lab", "Centrifuge 2 works fine.", "Lab", "centrifuge 3 is out of order", 0.73),
    ("Port", "Berth 4 is reserved for tugs.", "Port", "Berth 5 is open to everyone.", 0.47),
    ("Law", "Smith is represented by Ms Ray.", "Law", "Jones is represented by Mr Cho.", 0.25),
    ("Law", "Smith is represented by Ms Ray.", "Law", "Smith owes 4,000 in costs.", 0.43),
    ("user", "I have a dentist appointment on Tuesday.", "user", "I have a haircut on Wednesday.", 0.45),
    ("user", "Lena's phone is 555 0101 22.", "user", "Lena's office is in Bonn.", 0.57),
    ("Shop", "We sell bikes.", "Shop", "We sell helmets.", 0.49),
    ("Team", "Sprint 12 goal: login page.", "Team", "Sprint 13 goal: search.", 0.66),
    ("HR", "Ivo started in March.", "HR", "Nils started in April.", 0.46),
    ("user", "The blue car is a Volvo.", "user", "The red car is a Fiat.", 0.41),
]
# The same, said again.
AGAIN = [
    ("user", "I'm allergic to nuts.", "user", "remember that I'm allergic to nuts", 0.9),
    ("user", "We close at 18:00 on Fridays.", "user", "On Fridays we close at 18:00, as always.", 0.95),
    (
        "Ops",
        "The staging DB is reset every night.",
        "Ops",
        "Every night the staging DB gets reset, at 01:00 UTC.",
        0.94,
    ),
    ("user", "I play tennis.", "user", "I play tennis on Tuesdays at the Riverside club.", 0.74),
    ("user", "Ich bin Linkshänder.", "user", "Wie gesagt, ich bin Linkshänder.", 0.88),
    ("Coder", "PRs need two reviews.", "Coder", "Two reviews are needed for PRs.", 0.93),
    ("Ops", "Deploys happen on Tuesdays.", "Ops", "We deploy on Tuesdays.", 0.89),
    ("user", "My wife is called Ines.", "user", "Ines is my wife.", 0.82),
    ("user", "I hate cilantro.", "user", "please remember I hate cilantro", 0.93),
    ("Lab", "Keep the enzyme at -20.", "Lab", "the enzyme has to be kept at -20", 0.93),
    ("Firm", "Invoices must mention the PO number.", "Firm", "The PO number has to be on every invoice.", 0.87),
    ("user", "Dad lives in Cork.", "user", "my dad lives in Cork, in a small house by the river", 0.88),
    ("Shop", "The shop is closed on Sundays.", "Shop", "On Sundays the shop is closed, as everyone knows.", 0.9),
    ("user", "Wir haben zwei Kinder.", "user", "Wir haben zwei Kinder, Mia (7) und Jan (4).", 0.72),
    ("user", "Use metric units.", "user", "Always use metric units please.", 0.9),
    ("Ops", "Root login over ssh is disabled.", "Ops", "ssh: root login disabled", 0.93),
    ("Ops", "The VPN gateway is in Madrid.", "Ops", "vpn gateway: madrid", 0.95),
    ("Kitchen", "No nuts in the brownies.", "Kitchen", "brownies: no nuts!", 0.89),
    ("Eva", "El taller abre a las nueve.", "Eva", "Recuerda que el taller abre a las nueve.", 0.92),
    ("Lab", "Samples are stored at 4 degrees.", "Lab", "We store samples at 4 degrees.", 0.92),
    (
        "HR",
        "New hires get a laptop.",
        "HR",
        "New hires get a laptop, a badge and a 500 euro budget for the desk.",
        0.75,
    ),
]


def said(content: str, speaker: str, *, when: datetime = NOW) -> Said:
    return Said(content=content, speaker=speaker, when=when)


@pytest.mark.parametrize(("speaker", "old", "newer_speaker", "new", "likeness"), CHANGES)
def test_a_change_is_noticed(speaker: str, old: str, newer_speaker: str, new: str, likeness: float) -> None:
    verdict = judge(said(new, newer_speaker, when=LATER), said(old, speaker), likeness)

    assert verdict is not None
    assert verdict.rule not in ("reinforce", "restate")


@pytest.mark.parametrize(("speaker", "old", "newer_speaker", "new", "likeness"), CALM)
def test_what_merely_looks_alike_stays(speaker: str, old: str, newer_speaker: str, new: str, likeness: float) -> None:
    verdict = judge(said(new, newer_speaker, when=LATER), said(old, speaker), likeness)

    assert verdict is None


@pytest.mark.parametrize(("speaker", "old", "newer_speaker", "new", "likeness"), AGAIN)
def test_the_same_in_other_words_is_recognised(
    speaker: str, old: str, newer_speaker: str, new: str, likeness: float
) -> None:
    verdict = judge(said(new, newer_speaker, when=LATER), said(old, speaker), likeness)

    assert verdict is not None
    assert verdict.rule in ("reinforce", "restate")
    assert verdict.retires
