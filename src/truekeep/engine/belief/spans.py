"""How people say for how long something holds: patterns on folded text, for English and its neighbours.

Linear, or nearly so: what may be repeated is bounded.
"""

from __future__ import annotations

import re

from truekeep.language.dates import COUNTS, MONTHS, QUARTER, WEEKDAYS, either, one_of

_MONTH = one_of(MONTHS) + r"\.?"
_WEEKDAY = one_of(WEEKDAYS)
_YEAR = r"(?P<year>\d{4})"  # any: what is read without its year would end this year
_COUNT = r"(?:\d{1,3}|a|" + "|".join(COUNTS) + r")"
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.|er|o)?"
_OF = r"(?:\s+(?:of|de|di|d'))?\s+"
UNITS = {
    "hour": "h|hrs?|hours?|stunden?|heures?|horas?|or[ae]|uur|uren",
    "day": "days?|tag(?:e|en)?|jours?|dias?|giorn[oi]|dag(?:e|en)?",
    "week": "weeks?|weekend|wochen?|wochenende|semaines?|semanas?|settiman[ae]|weken|sprints?",
    "month": "months?|monat(?:s|e|en)?|mois|mes(?:es)?|mes[ei]|maand(?:en)?",
    "quarter": "quarters?",
    "year": "years?|jahr(?:e|en|es)?|ans?|annees?|anos?|ann[oi]|jaar|jaren",
}
_UNIT = "|".join(UNITS.values())
_LONGER = "|".join(UNITS[name] for name in ("week", "month", "quarter", "year"))
_UNTIL = (
    r"(?:until|till?|'til|through|thru|up to and including|bis(?: einschliesslich)?(?: zum| zur)?"
    r"|jusqu'?(?:a|au|en|aux)(?: la)?"
    r"|hasta(?: el| la)?|fino (?:a|al|alla)|ate(?: o| a| ao)?|tot(?: en met)?|t/m)"
)
_THE = (
    r"(?:(?:the|el|le|la|il|lo|o|den|dem|der|die|het|de|this|next|coming|kommenden|nachsten|komende|volgende)\s+){0,2}"
)
# A number that nothing is counted or numbered by: the 14th, but not the 3rd floor.
_CLOSED = (
    r"(?=\s*(?:$|[,;!?)\n]|\.(?!\d)|[-\u2013\u2014]\s)"
    r"|\s+(?:so|and|because|for|no|not|all|we|i|then|only|he|she|they|it|please|while|the|our|my|use)\b)"
)
_DATE = rf"(?P<day>{_DAY}){_OF}(?P<month>{_MONTH})(?:,?\s+(?:de\s+)?{_YEAR})?"
_WHOLE_MONTH = rf"(?P<month>{_MONTH})(?:\s+{_YEAR})?"
_POINT = either(
    rf"{_YEAR}-(?P<month>\d\d)(?:-(?P<day>\d\d))?",
    rf"(?:{_WEEKDAY},?\s+(?:the\s+|den\s+)?)?{_DATE}",
    rf"(?P<month>{_MONTH})\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+{_YEAR})?",
    r"(?P<day>\d{1,2})[./](?P<month>\d{1,2})\.?(?P<year>\d{4})?(?![\d:])",
    rf"(?:{_WEEKDAY},?\s+)?(?:the|den|le|el|il|o|de)\s+(?P<nth>\d{{1,2}})(?:st|nd|rd|th|\.|er)?{_CLOSED}",
    rf"(?P<nth>\d{{1,2}})(?:st|nd|rd|th){_CLOSED}",
    rf"(?:end of|ende(?: de[rs])?|(?:la )?fin (?:de|du|de la)|(?:a )?final(?:es)? de|(?:la )?fine(?: di| del| della)?"
    rf"|(?:o )?fim (?:de|do|da)|(?:het )?eind(?:e)?(?: van)?)\s+(?:the\s+|this\s+|het\s+|de\s+|la\s+|l')?"
    rf"(?:(?P<month>{_MONTH})|(?P<unit>{_LONGER}))",
    rf"(?P<weekday>{_WEEKDAY})",
    rf"{QUARTER}\b(?:\s+{_YEAR})?",
    _WHOLE_MONTH,
    r"(?P<tomorrow>tomorrow|morgen|demain|manana|domani|amanha)\b",
    r"(?P<year>20\d{2})\b",
)
UNTIL_POINT = re.compile(rf"\b{_UNTIL}\s+{_THE}(?:{_POINT})")
UNTIL_EVENT = re.compile(rf"\b{_UNTIL}\s+(?:[a-z']+\s+){{1,8}}(?:on|am|le|el|il|op)\s+{_THE}(?:{_POINT})")
ENDS = re.compile(
    rf"\b(?:this|for|diese[rn]?|cette|est[ea]|quest[ao]|deze)\b[^.;]{{0,40}}\((?:it )?(?:ends?|ending"
    rf"|endet|finit|termina|eindigt)\s+(?:on\s+)?{_THE}(?:{_POINT})"
)
# What is said to be over, in a clause of its own behind what holds till then: "..., back on the 5th".
OVER = re.compile(
    rf",\s+(?:[a-z']+\s+){{0,2}}(?:back|ends?|finish(?:es)?|lifts?|stops?|expires|returns?|zuruck|endet|retour|finit"
    rf"|termina|acaba|vuelvo|torno|volto|terug|eindigt)\s+(?:on\s+|am\s+|le\s+|el\s+|il\s+|op\s+)?"
    rf"{_THE}(?:{_POINT})(?:\s+\d{{1,2}}[:.]\d{{2}})?(?=\s*(?:$|[.;!)]))"
)
# Not before a day is until that day; every year it would be no day.
NOT_BEFORE = re.compile(
    rf"\b(?:not|nothing|no|can'?t|cannot|won'?t|don'?t|nicht|nichts|kein[a-z]{{0,2}}|pas|rien|nada|non|niente|nao|niet"
    rf"|niets|geen)\b[^.;]{{0,60}}?\b(?:before|vor|avant|antes d[eo]l?|prima del|voor)\s+{_THE}(?:{_POINT})"
)
FROM_TO = re.compile(
    rf"\b(?P<from>(?:from|between|vom|von|zwischen|du|entre(?: el)?|del|desde el|dal|tra il|de|do dia|van|tussen)\s+)?"
    rf"(?:{_WEEKDAY},?\s+)?(?:the\s+|den\s+|le\s+)?{_DAY}(?:{_OF}{_MONTH})?(?:\s+(?:to|and|until|till|through"
    rf"|bis(?: zum)?|und|au|et(?: le)?|al|y el|hasta el|e il|a|ao|e|tot|en|-)\s+|[-\u2013])(?:the\s+|den\s+)?{_DATE}"
)
DURING = re.compile(
    either(
        r"\b(?:during|throughout|(?:for )?the rest of|all(?: of)?|(?:for )?the whole(?: of)?|in(?=\s+\w+ only)"
        r"|(?:only|just) (?:in|for)|wahrend(?: des)?|den ganzen|im ganzen|pendant(?: tout)?(?: le mois de)?"
        r"|durante(?: todo| tutto)?(?: el mes de| il mese di| o mes de)?|gedurende|heel|tout le mois de)"
        rf"\s+{_WHOLE_MONTH}",
        rf"\bim\s+(?P<month>{_MONTH})\s+(?:gilt|gelten|nur|kein|keine)\b",
    )
)
NEXT = re.compile(
    rf"\b(?:for|over|during|in|fur|pendant|durante|per|nos|nas|voor|de)?\s*(?:the|die|den|der|les|los|las"
    rf"|i|gli|le|os|as|de|nos|nas)?\s*"
    rf"(?:next|coming|following|nachsten|kommenden|prochains?|prochaines?|proximos|proximas|prossimi"
    rf"|prossime|komende)\s+(?P<n>{_COUNT})\s+(?P<unit>{_UNIT})\b"
    rf"|\b(?:les|los|las|i|le|os|as)\s+(?P<n2>{_COUNT})\s+(?:prochains|prochaines|proximos|proximas"
    rf"|prossimi|prossime)\s+(?P<unit2>{_UNIT})\b"
    rf"|\b(?:for|durante|pendant|fur|por|per|voor|gedurende)"
    rf" (?:another )?(?P<n3>{_COUNT})\s?(?P<unit3>{_UNIT})\b(?P<more> more| only)?"
)
THIS = re.compile(
    r"(?P<before>\b[a-z']+\s+)?\b(?P<what>(?:this|all|the rest of (?:the|this)|over the"
    r"|diese|diesen|cette|ce|esta|este|questa|questo|deze) "
    r"(?P<unit>week|weekend|month|quarter|woche|wochenende|monat|semaine|mois|semana|mes|settimana|mese|maand)\b"
    r"|(?P<days>today and tomorrow|heute und morgen|aujourd'hui et demain|hoy y manana|oggi e domani|hoje e amanha)"
    r"|(?P<day>(?:just |only )(?:for )?today\b|today|heute|aujourd'hui|hoy|oggi|hoje|vandaag)"
    r"(?:(?<=for today)| only| nur| seulement| solo| alleen| so)\b)"
)
STOP = re.compile(r"[,.;:!?]")
NOT_THIS = re.compile(
    r"\b(?:from|since|starting|by|of|before|after|as|ab|seit|von|depuis|des|desde|dal|da|a|partir|vanaf"
    r"|sinds|every|end)\s$"
)
# What is moved, due or done is an event with a date, not a state with an end.
EVENT = re.compile(
    r"\b(?:deadline|due|postponed|delayed|rescheduled|pushed|moved|moves|move|have|got|submit|expires?"
    r"|renews?|applications?"
    r"|verschoben|frist|abgabe|verlegt|reporte[es]*|aplazad[oa]|rinviat[oa]|adiad[oa]|uitgesteld|verzet)\b[^.;]{0,40}$"
)
DONE = re.compile(
    r"\b(?:[a-z]{3,}ed|went|got|came|saw|met|made|took|wrote|rewrote|built|ran|sent|sold|left|lost|won"
    r"|bought|found|gave|did|had|told|finished"
    r"|habe?n?|wurde|avons|ai|hemos|he|abbiamo|ho)\b"
)
STATE = re.compile(
    r"\b(?:is|are|am|i'm|im|we're|re|only|no|not|off|out|away|closed|ist|sind|bin|nur|est|sont|suis|esta"
    r"|estoy|sono|zijn|ben|valid"
    r"|please)\b"
)
AWAY = re.compile(
    r"\b(?:out|away|off|closed|shut|muted|paused|suspended|down|unavailable|blocked|booked|leave|holiday"
    r"|vacation|gesperrt"
    r"|geschlossen|zu|weg|ferme|absente?|cerrad[oa]|fuera|chius[oa]|via|fechad[oa]|fora|dicht|afwezig)\b"
)
# Who is somewhere, or stands in for somebody, for so long; but "two days a week" is for good.
STAYS = re.compile(r"\b(?:i'm|im|i am|we're|we are|acting|stays?|staying|sleeps?|standing in)\b")
EACH = re.compile(r"\s+(?:a|an|per|each|every|in the|after|before)\b")
# What a range of days is a gloss on: "for the trial, 2 to 9 May".
SPAN = re.compile(r"\b(?:for|during|throughout|over|wahrend|pendant|durante|per|gedurende)\b[^.;]{0,60}$")
# What will happen within the time is an event too.
AHEAD = re.compile(
    r"\b(?:will|need|needs|must|should|have to|due|finish|submit|deliver|launch|release|ship|starts?"
    r"|begins?|meet|meets|arrives?|leaves?"
    r"|comes?|deadline|decide|remind|gets?|wird|muss|doit|debe|deve|moet)\b"
)
# "un an" has no number that is spelt out, and is no reason to look at every text with an article.
_TIMES = """
    h hr hrs hour stunde heure hora ora ore uur uren day days tag tage jour dia dias giorno dag dage week woche semaine
    semana settimana weken sprint month monat mois mes mese mesi maand year jahr ans annee ano anos anno anni jaar jaren
    quarter today heute aujourd hoy oggi hoje vandaag tomorrow morgen demain manana domani amanha
"""
_LETTERS = 4  # of a word, by which it is told: fewer, and "year" is "yeah"
_BEGINNINGS = frozenset(word[:_LETTERS] for word in (*WEEKDAYS, *MONTHS, *_TIMES.split()))
_DIGIT = re.compile(r"\d")
_BEGINNING = re.compile(rf"(?<!\w)[^\W\d_]{{1,{_LETTERS}}}")


def names_a_time(text: str) -> bool:
    """Whether a folded text holds a digit or a word that may be a day or a span: without one no pattern matches."""
    return bool(_DIGIT.search(text)) or not _BEGINNINGS.isdisjoint(_BEGINNING.findall(text))
