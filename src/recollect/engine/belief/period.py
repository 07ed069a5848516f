"""How long a statement says that it holds: "until Monday the 8th", "during June", "for the next ten days".

A time of day ("until eight"), an event ("until the form is signed"), a deadline and the mere date of something are
no such period. Days are those of UTC; a day, week, month or quarter that is named belongs to the period.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

from .days import COUNTS, MONTHS, WEEKDAYS
from .folding import fold
from .said import Period

LONGEST = 2000  # characters that are looked at
_FEW = 400  # of a unit: beyond that it is no period that anybody plans

_MONTH = "(?:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_WEEKDAY = "(?:" + "|".join(sorted(WEEKDAYS, key=len, reverse=True)) + r")\b"
_COUNT = r"(?:\d{1,3}|a|" + "|".join(COUNTS) + r")"
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.|er|o)?"
_OF = r"(?:\s+(?:of|de|di|d'))?\s+"
_UNITS = {
    "hour": "h|hrs?|hours?|stunden?|heures?|horas?|or[ae]|uur|uren|timmar",
    "day": "days?|tagen?|tage|jours?|dias?|giorn[oi]|dagen?|dagar|dni",
    "week": "weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|week|veckor|tygodnie|sprints?",
    "month": "months?|monaten?|monate|mois|mes(?:es)?|mes[ei]|maanden?|manader|miesiace",
    "year": "years?|jahren?|jahre|ans?|annees?|anos?|ann[oi]|jaar|jaren|ar",
}
_UNIT = "|".join(_UNITS.values())
_UNTIL = (
    r"(?:until|till?|'til|through|thru|up to and including|bis(?: einschliesslich)?(?: zum| zur)?"
    r"|jusqu'?(?:a|au|en|aux)(?: la)?"
    r"|hasta(?: el| la)?|fino (?:a|al|alla)|ate(?: o| a| ao)?|tot(?: en met)?|t/m|till och med|az do|do konca)"
)
_THE = (
    r"(?:(?:the|el|le|la|il|lo|o|den|dem|der|die|het|de|this|next|coming|kommenden|nachsten|komende|volgende)\s+){0,2}"
)
# A number that nothing is counted or numbered by: the 14th, but not the 3rd floor.
_CLOSED = (
    r"(?=\s*(?:$|[,;!?)\n]|\.(?!\d)|[-\u2013\u2014]\s)"
    r"|\s+(?:so|and|because|for|no|not|all|we|i|then|only|he|she|they|it|please|while|the|our|my|use)\b)"
)
_POINT = (
    rf"(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})"
    rf"|(?:{_WEEKDAY},?\s+(?:the\s+"
    rf"|den\s+)?)?(?P<day>{_DAY}){_OF}(?P<month>{_MONTH})(?:,?\s+(?:de\s+)?(?P<year>\d{{4}}))?"
    rf"|(?P<month2>{_MONTH})\s+(?:the\s+)?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<year2>\d{{4}}))?"
    rf"|(?P<dotted>\d{{1,2}}[./]\d{{1,2}}\.?(?:\d{{4}})?)(?![\d:])"
    rf"|(?:{_WEEKDAY},?\s+)?(?:the|den|le|el|il|o|de)\s+(?P<nth>\d{{1,2}})(?:st|nd|rd|th|\.|er)?{_CLOSED}"
    rf"|(?P<nth2>\d{{1,2}})(?:st|nd|rd|th){_CLOSED}"
    rf"|(?P<end>end of|ende(?: de[rs])?|(?:la )?fin (?:de|du|de la)|(?:a )?final(?:es)? de"
    rf"|(?:la )?fine (?:di|del|della)|(?:o )?fim (?:de|do|da)"
    rf"|(?:het )?eind(?:e)?(?: van)?|slutet av|konca)\s+(?:the\s+|this\s+|het\s+|de\s+|la\s+"
    rf"|l')?(?P<of>{_MONTH}|week|month|quarter|year|woche|monats?|jahres?"
    rf"|semaine|mois|annee|semana|mes|ano|settimana|mese|anno|maand|jaar)"
    rf"|(?P<weekday>{_WEEKDAY})|q(?P<quarter>[1-4])\b|(?P<month3>{_MONTH})(?:\s+(?P<year3>\d{{4}}))?"
    rf"|(?P<tomorrow>tomorrow|morgen|demain|manana|domani|amanha)\b"
    rf"|(?P<year4>20\d{{2}})\b"
)
_UNTIL_POINT = re.compile(rf"\b{_UNTIL}\s+{_THE}(?:{_POINT})")
_UNTIL_EVENT = re.compile(rf"\b{_UNTIL}\s+(?:[a-z']+\s+){{1,8}}(?:on|am|le|el|il|op)\s+(?:{_POINT})")
_ENDS = re.compile(
    rf"\b(?:this|for|diese[rn]?|cette|est[ea]|quest[ao]|deze)\b[^.;]{{0,40}}\((?:it )?(?:ends?|ending"
    rf"|endet|finit|termina|eindigt)\s+(?:on\s+)?{_THE}(?:{_POINT})"
)
_FROM_TO = re.compile(
    rf"\b(?P<from>(?:from|between|vom|von|zwischen|du|entre(?: el)?|del|desde el|dal|tra il|de|do dia|van"
    rf"|tussen)\s+)?(?:{_WEEKDAY},?\s+)?(?:the\s+|den\s+|le\s+)?"
    rf"(?P<first>{_DAY})(?:{_OF}(?P<firstmonth>{_MONTH}))?(?:\s+(?:to|and|until|till|through|bis(?: zum)?|und"
    rf"|au|et(?: le)?|al|y el|hasta el|e il|a|ao|e|tot|en|-)\s+|[-\u2013])"
    rf"(?:the\s+|den\s+)?(?P<day>{_DAY}){_OF}(?P<month>{_MONTH})(?:,?\s+(?P<year>\d{{4}}))?"
)
_DURING = re.compile(
    r"\b(?:during|throughout|all(?: of)?|(?:for )?the whole(?: of)?|in(?=\s+\w+ only)|(?:only|just) (?:in|for)"
    r"|wahrend(?: des)?"
    r"|den ganzen|im ganzen|pendant(?: tout)?(?: le mois de)?"
    r"|durante(?: todo| tutto)?(?: el mes de| il mese di| o mes de)?|gedurende|heel|tout le mois de|under(?: hela)?)"
    rf"\s+(?P<month>{_MONTH})(?:\s+(?P<year>\d{{4}}))?|\bim\s+(?P<im>{_MONTH})\s+(?:gilt|gelten|nur|kein|keine)\b"
)
_NEXT = re.compile(
    rf"\b(?:for|over|during|in|fur|pendant|durante|per|nos|nas|voor|de)?\s*(?:the|die|den|der|les|los|las"
    rf"|i|gli|le|os|as|de|nos|nas)?\s*"
    rf"(?:next|coming|following|nachsten|kommenden|prochains?|prochaines?|proximos|proximas|prossimi"
    rf"|prossime|komende|nasta)\s+(?P<n>{_COUNT})\s+(?P<unit>{_UNIT})\b"
    rf"|\b(?:les|los|las|i|le|os|as)\s+(?P<n2>{_COUNT})\s+(?:prochains|prochaines|proximos|proximas"
    rf"|prossimi|prossime)\s+(?P<unit2>{_UNIT})\b"
    rf"|\bfor (?:another )?(?P<n3>{_COUNT})\s?(?P<unit3>{_UNIT})\b(?P<more> more| only)?"
)
_THIS = re.compile(
    r"(?P<before>\b[a-z']+\s+)?\b(?P<what>(?:this|all|the rest of (?:the|this)|over the"
    r"|diese|diesen|cette|ce|esta|este|questa|questo|deze|denna|w tym) "
    r"(?P<unit>week|weekend|month|quarter|woche|wochenende|monat|semaine|mois|semana|mes|settimana|mese|maand|vecka)\b"
    r"|(?P<days>today and tomorrow|heute und morgen|aujourd'hui et demain|hoy y manana|oggi e domani|hoje e amanha)"
    r"|(?P<day>(?:just |only )(?:for )?today\b|today|heute|aujourd'hui|hoy|oggi|hoje|vandaag)"
    r"(?:(?<=for today)| only| nur| seulement| solo| alleen| so)\b)"
)
_STOP = re.compile(r"[,.;:!?]")
_NOT_THIS = re.compile(
    r"\b(?:from|since|starting|by|of|before|after|as|ab|seit|von|depuis|des|desde|dal|da|a|partir|vanaf"
    r"|sinds|every|end)\s$"
)
# What is moved, due or done is an event with a date, not a state with an end.
_EVENT = re.compile(
    r"\b(?:deadline|due|postponed|delayed|rescheduled|pushed|moved|moves|move|have|got|submit|expires?"
    r"|renews?|applications?"
    r"|verschoben|frist|abgabe|verlegt|reporte[es]*|aplazad[oa]|rinviat[oa]|adiad[oa]|uitgesteld|verzet)\b[^.;]{0,40}$"
)
_DONE = re.compile(
    r"\b(?:[a-z]{3,}ed|went|got|came|saw|met|made|took|wrote|rewrote|built|ran|sent|sold|left|lost|won"
    r"|bought|found|gave|did|had|told|finished"
    r"|habe?n?|wurde|avons|ai|hemos|he|abbiamo|ho)\b"
)
_STATE = re.compile(
    r"\b(?:is|are|am|i'm|im|we're|re|only|no|not|off|out|away|closed|ist|sind|bin|nur|est|sont|suis|esta"
    r"|estoy|sono|zijn|ben|valid"
    r"|please)\b"
)
_AWAY = re.compile(
    r"\b(?:out|away|off|closed|shut|muted|paused|suspended|down|unavailable|blocked|booked|leave|holiday"
    r"|vacation|gesperrt"
    r"|geschlossen|zu|weg|ferme|absente?|cerrad[oa]|fuera|chius[oa]|via|fechad[oa]|fora|dicht|afwezig)\b"
)
# What will happen within the time is an event too.
_AHEAD = re.compile(
    r"\b(?:will|need|needs|must|should|have to|due|finish|submit|deliver|launch|release|ship|starts?"
    r"|begins?|meet|meets|arrives?|leaves?"
    r"|comes?|deadline|decide|remind|gets?|wird|muss|doit|debe|deve|moet)\b"
)


@lru_cache(maxsize=4096)
def period(content: str, said: datetime) -> Period | None:
    """The period for which a statement says that it holds, or None.

    Args:
        content: the statement.
        said: when it was said; "this week" is the week of that day.
    """
    text = " ".join(fold(content[:LONGEST]).split())
    day = said.replace(hour=0, minute=0, second=0, microsecond=0)
    for find in _FINDERS:
        try:
            found = find(text, day, said)
        except (ValueError, OverflowError):  # the 31st of February, the year 10000
            continue
        if found is not None:
            return found
    return None


def _between(text: str, day: datetime, said: datetime) -> Period | None:
    match = _FROM_TO.search(text)
    if match is None or not (match["from"] or _AWAY.search(text)):
        return None  # "the fair, 9 to 12 March" is the date of something
    month = _month(match["month"])
    last = _dated(_number(match["day"]), month, match["year"], day)
    first = last.replace(
        day=_number(match["first"]), month=_month(match["firstmonth"]) if match["firstmonth"] else month
    )
    if first > last:
        first = first.replace(year=first.year - 1)
    return Period(first, last + timedelta(days=1), match[0])


def _until(text: str, day: datetime, said: datetime) -> Period | None:
    for pattern in (_UNTIL_POINT, _UNTIL_EVENT, _ENDS):
        for match in pattern.finditer(text):
            if pattern is not _ENDS and _EVENT.search(text[max(0, match.start() - 60) : match.start()]):
                continue
            if (end := _end_of(match, day)) is not None:
                return Period(None, end, match[0])
    return None


def _during(text: str, day: datetime, said: datetime) -> Period | None:
    match = _DURING.search(text)
    if match is None:
        return None
    end = _month_end(_month(match["month"] or match["im"]), match["year"], day)
    return Period((end - timedelta(days=1)).replace(day=1), end, match[0])


def _coming(text: str, day: datetime, said: datetime) -> Period | None:
    for match in _NEXT.finditer(text):
        before = text[max(0, match.start() - 40) : match.start()]
        first = not before.strip() and not _DONE.search(_STOP.split(text, 1)[0])
        if match["n3"] and not match["more"] and not first and not _AWAY.search(before):
            continue  # "kept for 30 days" and "worked there for two years" have no end ahead
        count = _count(match["n"] or match["n2"] or match["n3"])
        if 0 < count <= _FEW:
            unit = match["unit"] or match["unit2"] or match["unit3"]
            return Period(day, _after(said, day, count, unit), match[0].strip())
    return None


def _this(text: str, day: datetime, said: datetime) -> Period | None:
    for match in _THIS.finditer(text):
        clause = _clause_around(text, match)
        if _NOT_THIS.search(match["before"] or "") or (_DONE.search(clause) and not _STATE.search(clause)):
            continue
        if _AHEAD.search(clause) and not _STATE.search(clause):
            continue
        if match["days"] or match["day"]:
            return Period(day, day + timedelta(days=2 if match["days"] else 1), match["what"])
        return Period(day, _end_of_unit(match["unit"], day), match["what"])
    return None


def _clause_around(text: str, match: re.Match[str]) -> str:
    before, after = _STOP.split(text[: match.start("what")]), _STOP.split(text[match.end() :])
    return f"{before[-1]} {after[0]}"


_FINDERS: tuple[Callable[[str, datetime, datetime], Period | None], ...] = (_between, _until, _during, _coming, _this)


def _end_of(match: re.Match[str], day: datetime) -> datetime | None:
    if match["iso"]:
        return datetime.fromisoformat(match["iso"]).replace(tzinfo=day.tzinfo) + timedelta(days=1)
    if number := match["day"] or match["day2"]:
        month = _month(match["month"] or match["month2"])
        return _dated(_number(number), month, match["year"] or match["year2"], day) + timedelta(days=1)
    if match["dotted"]:
        parts = [int(part) for part in re.findall(r"\d+", match["dotted"])]
        return _dated(parts[0], parts[1], str(parts[2]) if len(parts) > 2 else None, day) + timedelta(days=1)
    if nth := match["nth"] or match["nth2"]:
        return _nth(int(nth), day) + timedelta(days=1)
    if match["end"]:
        unit = match["of"]
        return _month_end(_month(unit), None, day) if unit.rstrip(".") in MONTHS else _end_of_unit(unit, day)
    if match["weekday"]:
        return day + timedelta(days=(WEEKDAYS[match["weekday"]] - day.weekday()) % 7 + 1)
    if match["quarter"]:
        return _month_end(3 * int(match["quarter"]), None, day)
    if match["month3"]:
        return _month_end(_month(match["month3"]), match["year3"], day)
    if match["tomorrow"]:
        return day + timedelta(days=2)
    return day.replace(year=int(match["year4"]) + 1, month=1, day=1) if match["year4"] else None


def _month(name: str) -> int:
    return MONTHS[name.rstrip(".")]


def _number(text: str) -> int:
    return int(re.match(r"\d+", text)[0])  # type: ignore[index]  # the pattern begins with digits


def _count(word: str) -> int:
    return int(word) if word.isdigit() else 1 if word == "a" else COUNTS[word]


def _dated(number: int, month: int, year: str | None, day: datetime) -> datetime:
    """That day of that month: of the year named, or the next one that has not passed."""
    if year:
        return day.replace(year=int(year), month=month, day=number)
    found = day.replace(month=month, day=number)
    return found if found >= day - timedelta(days=31) else found.replace(year=found.year + 1)


def _nth(number: int, day: datetime) -> datetime:
    if number >= day.day:
        return day.replace(day=number)
    following = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
    return following.replace(day=number)


def _month_end(month: int, year: str | None, day: datetime) -> datetime:
    chosen = int(year) if year else day.year + (month < day.month)
    return day.replace(year=chosen, month=month, day=1) + timedelta(days=monthrange(chosen, month)[1])


def _end_of_unit(unit: str, day: datetime) -> datetime:
    if unit.startswith(("week", "woche", "semaine", "semana", "settimana", "vecka")):
        return day + timedelta(days=7 - day.weekday())
    if unit.startswith("quarter"):
        return _month_end((day.month + 2) // 3 * 3, None, day)
    if unit.startswith(("year", "jahr", "annee", "ano", "anno", "jaar")):
        return day.replace(year=day.year + 1, month=1, day=1)
    return _month_end(day.month, None, day)


def _after(said: datetime, day: datetime, count: int, unit: str) -> datetime:
    name = next(name for name, words in _UNITS.items() if re.fullmatch(words, unit))
    if name == "hour":
        return said + timedelta(hours=count)
    if name in ("day", "week"):
        return day + timedelta(days=count * (7 if name == "week" else 1) + 1)
    months = day.month - 1 + count * (12 if name == "year" else 1)
    year, month = day.year + months // 12, months % 12 + 1
    return day.replace(year=year, month=month, day=min(day.day, monthrange(year, month)[1])) + timedelta(days=1)
