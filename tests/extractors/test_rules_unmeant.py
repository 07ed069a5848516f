"""What is said but not meant or not known, code that is pasted."""

from __future__ import annotations

import pytest

from truekeep.extractors.rules import RulesExtractor
from truekeep.model import Message


def kinds(text: str, role: str = "user") -> list[str | None]:
    return [draft.kind for draft in RulesExtractor().extract([Message(content=text, role=role)])]


NOT_MEANT = [
    "The porter says he's heard the whole wing gets renovated",
    "Nobody knows for sure but the story is that the founder sold up",
    "From what I gather the mill pays in cash",
    "Gerd is convinced the foundation is cracked, no proof though",
    "Supposed to be a secret but the coach is off to Spain",
    "Unofficially, the ward will be closed in June",
    "It's an open secret that the manager hates vegetarians",
    "One theory is that the beams are infested",
    "I'd guess the boiler is from the eighties",
    "He's possibly allergic to bees",
    "The noise is likely the bearings",
    "If I were mayor I'd ban leaf blowers",
    "Were the budget bigger, we'd rent the big hall",
    "Should the harvest fail we could sell the tractor",
    "Wouldn't it be great if the office had a garden",
    "I'd love it if the bakery opened on Sundays",
    "Let's say the truck is 12 tonnes, then the bridge is out",
    "Say the tenant leaves in May, the flat stays empty all summer",
    "In a dream world every nurse has one patient",
    "Hypothetically the archive moves to Basel",
    "Wow, a third password policy this month, I feel so safe",
    "Fantastic, the lift is out again, I love stairs",
    "Because nothing says welcome like a locked door",
    "Top marks to whoever put the scanner behind the piano",
    "Great job, everyone loves unpaid overtime",
    "I'm sure the bus will be on time, as ever 😂",
    "Our boss is a real ray of sunshine, not",
    "def refund(): # refunds are never partial",
    '"max_users": 50, // more breaks the licence server',
    "<!-- the footer is always green -->",
    "; the relay is active low",
    "REM the backup runs at two",
    "% we always round up here",
    "SELECT * FROM rooms WHERE beds > 2 -- isolation rooms have two beds",
    "retry_count += 1  # the gateway drops every third call",
    "return cached; // the cache never expires",
    "    # the dock opens at five",
    '"""The parser never returns None."""',
    "const MAX = 12 // a crate holds twelve bottles",
    '"We never close", it says on the door',
    "apparently the depot is moving to Leeds",
    "Rumour has it that the conductor is leaving",
    "someone told me the pool closes at six",
    "supposedly the new glaze is food safe",
    "Word is the council will refuse the permit",
    "I heard the coach prefers left-footers",
    "they say the oven runs hot",
    "allegedly the landlord owns the whole street",
    "A friend of a friend swears the bridge is closed all winter",
    "According to the grapevine the school merges with Saint Anne's",
    "The neighbours reckon the well is contaminated",
    "Tom from accounts was told the bonus is cancelled",
    "probably the valve is on the left side",
    "my guess is that the fuse box is in the cellar",
    "must be the humidity that makes the keys stick",
    "the leak might come from the roof",
    "I reckon the ferry takes two hours",
    "could be that the customs office closes at noon",
    "no idea but I'd say the contract ends in May",
    "If we hired a second cook we'd open on Mondays",
    "If the grant came through we would buy the kiln",
    "unless it rains we would hold it in the garden",
    "I wish the library opened on Sundays",
    "imagine the stage had a trapdoor",
    "suppose the supplier doubles the price",
    "In case the lift fails we would carry the piano",
    "one day I'll own a vineyard",
    "Had we ordered earlier, the bricks would be here",
    "It'd be nice to have a second sink",
    "Maybe the dentist is allergic to children",
    "yeah right, the bus is always on time",
    "sure, the printer always works on deadline day",
    "great, another form that nobody reads",
    "love how the heating only works in July",
    "What could possibly go wrong with a 40-year-old rope",
    "because that always works",
    "Oh brilliant, the stage manager loves a last-minute rewrite /s",
    "our wifi is super fast 🙄",
    "the cafeteria soup is a culinary triumph, lol, my spoon stood up in it",
    "Nice, we pay 900 a month for a view of bins. Living the dream!",
    "Sure, let's store the passwords on a sticky note, brilliant",
    "Clearly what this team needs is a fourth status meeting",
    "// we always retry three times here",
    "# never call this from the main thread",
    "-- the orders table is partitioned by month",
    "/* the limit is 500 per minute */",
    "timeout = 30  # seconds, the gateway needs this",
    "const limit = 5; // suppliers never send more",
    "`// the legacy API is read-only`",
    "if (user.isAdmin) { return true; } // admins skip the check",
    "x => x.price * 1.19 // VAT is always 19",
    "Karl claims that the pump is unbreakable",
    'The brochure says "our rooms are always heated to 21 degrees".',
    "Their rep swears the seal lasts ten years",
    "The forum post said that vinegar cures mildew",
    "I have a hunch the tenant upstairs keeps bees",
    "who knows, the warehouse may have a second door",
    "presumably the keys are with the caretaker",
    "the way I see it the wall could be load-bearing",
    "Not sure, I think the fees are due in April",
    "it looks as though the vet only works mornings",
    "there's talk of the mill closing",
    "bet it's the landlord again",
    "my mate says the bridge closes at nine anyway lol",
    "They're saying at the pub that the mill was sold",
    "if I win I'm buying a boat",
    "if they did that id leave",
    "gossip: the new head is from Leeds",
    "the best referee ever, truly, especially with his eyes shut",
    "Der Nachbar sagt, die Stra\u00dfe wird im Mai gesperrt",
    "Wenn wir im Lotto gewinnen w\u00fcrden, k\u00e4me ein Pool in den Garten",
    "Ja sicher, der Zug ist ja immer p\u00fcnktlich",
    "Si jamais je gagne au loto, j'ach\u00e8te la ferme",
    "Il para\u00eet que la mairie vend le stade",
    "Mon voisin dit que le puits est vide",
    "Dicen por ah\u00ed que cierran el bar",
    "Si nos tocara el gordo, compramos el local",
    "Il cugino dice che il treno non passa pi\u00f9",
    "Se vinco alla lotteria apro un bar",
    "Dizem que o caf\u00e9 vai fechar",
    "Se a gente tivesse um barco, ia todo dia",
    "De buurman zegt dat de brug dicht gaat",
    "Als ik ooit rijk word koop ik een molen",
    "t\u00e4nk om vi hade en pool",
    "Podobno zamykaj\u0105 piekarni\u0119 w maju",
]


@pytest.mark.parametrize("sentence", NOT_MEANT)
def test_hearsay_guesses_wishes_irony_and_comments_are_left(sentence: str) -> None:
    assert kinds(sentence) == []


def test_a_short_remark_takes_back_what_was_said_before() -> None:
    meant = kinds("We decided to heat the office all winter.")

    taken_back = kinds("We decided to heat the office all winter. Yeah, right.")

    assert meant == ["decision"]
    assert taken_back == []


def test_a_comment_of_several_lines_is_left_and_what_follows_is_kept() -> None:
    text = "/*\n * The limit is 500 a minute.\n * We never retry.\n */\nOur gateway allows 300 calls a minute."

    drafts = RulesExtractor().extract([Message(content=text, role="user")])

    assert [draft.content for draft in drafts] == ["Our gateway allows 300 calls a minute."]


def test_a_claim_in_inline_code_is_not_the_speakers() -> None:
    assert kinds("the file has `we never delete the old invoices here` in it") == []


@pytest.mark.parametrize(
    "text",
    [
        "translate: I live in Hamburg and work as a cook.",
        "Can you translate this to Dutch: I work at the harbour and live in Gouda.",
        "please summarise the following: We moved to Berlin last year. We sold the car.",
        "make this shorter: I prefer tea over coffee because it is milder.",
        "Fix the grammar: My sister live in Rome and have two kids.",
        "Rewrite this:\n\nWe decided to close the branch in Leeds.",
        "Translate: Ich wohne in Hamburg und arbeite als Koch in einem Hotel am Hafen.",
    ],
)
def test_a_text_that_is_handed_over_to_be_worked_on_is_not_what_its_speaker_says(text: str) -> None:
    assert kinds(text) == []


def test_what_is_said_before_a_text_that_is_handed_over_counts() -> None:
    assert kinds("I prefer British English. Rewrite this: I decided on the blue one.") == ["preference"]
    assert kinds("To summarise: we decided on the blue one.") == ["decision"]


@pytest.mark.parametrize("text", ["there it is", "it is what it is", "that's how it is", "wow, that's what it is"])
def test_what_it_is_is_no_decision_where_nothing_is_named(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize("text", ["Redis it is", "Thursday it is then", "ok, the blue one it is"])
def test_what_it_is_is_a_decision_where_it_is_named(text: str) -> None:
    assert kinds(text) == ["decision"]
