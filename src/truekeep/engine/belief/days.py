"""Names of days, months and small numbers, in several languages; folded to lower-case ASCII."""

from __future__ import annotations

from collections.abc import Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _numbered(rows: Sequence[str], start: int) -> dict[str, int]:
    return {name: n for n, names in enumerate(rows, start) for name in names.split()}


WEEKDAYS = _numbered(
    (
        "monday mondays mon montag montags lundi lundis lunes lunedi segunda-feira maandag maandags mandag"
        " poniedzialek",
        "tuesday tuesdays tue tues dienstag dienstags mardi mardis martes martedi terca-feira dinsdag"
        " dinsdags tisdag wtorek",
        "wednesday wednesdays wed mittwoch mittwochs mercredi mercredis miercoles mercoledi quarta-feira"
        " woensdag onsdag sroda",
        "thursday thursdays thu thur thurs donnerstag donnerstags jeudi jeudis jueves giovedi quinta-feira"
        " donderdag torsdag "
        "czwartek",
        "friday fridays fri freitag freitags vendredi vendredis viernes venerdi sexta-feira vrijdag fredag piatek",
        "saturday saturdays samstag samstags sonnabend samedi samedis sabado sabados sabato zaterdag lordag sobota",
        "sunday sundays sonntag sonntags dimanche dimanches domingo domingos domenica zondag sondag niedziela",
    ),
    start=0,
)
MONTHS = _numbered(
    (
        "january jan januar janner janvier enero gennaio janeiro januari stycznia",
        "february feb februar fevrier febrero febbraio fevereiro februari lutego",
        "march mar marz mars marzo marco maart marca",
        "april apr avril abril aprile kwietnia",
        "may mai mayo maggio maio mei maj maja",
        "june jun juni juin junio giugno junho czerwca",
        "july jul juli juillet julio luglio julho lipca",
        "august aug aout agosto augustus augusti sierpnia",
        "september sep sept septembre septiembre settembre setembro wrzesnia",
        "october oct okt oktober octobre octubre ottobre outubro pazdziernika",
        "november nov novembre noviembre novembro listopada",
        "december dec dezember dez decembre diciembre dicembre dezembro grudnia",
    ),
    start=1,
)
COUNTS = _numbered(
    (
        "zero null",
        "one eins",
        "two twice zwei deux dos due dois duas twee tva dwa",
        "three drei trois tres tre drie trzy",
        "four vier quatre cuatro quattro quatro fyra cztery",
        "five funf cinq cinco cinque vijf fem piec",
        "six sechs seis sei zes szesc",
        "seven sieben siete sette sete zeven",
        "eight acht huit ocho otto oito",
        "nine neun neuf nueve nove negen",
        "ten zehn dix diez dieci tien",
        "eleven elf undici",
        "twelve zwolf douze doce dodici doze twaalf",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty zwanzig vingt veinte venti vinte twintig",
    ),
    start=0,
)
# In an English text only these: "due" counts nothing there, and Marco is a man.
ENGLISH = _words(
    """
    monday mondays mon tuesday tuesdays tue tues wednesday wednesdays wed thursday thursdays thu thur thurs friday
    fridays fri saturday saturdays sunday sundays january jan february feb march mar april apr may june jun july jul
    august aug september sep sept october oct november nov december dec zero one two twice three four five six seven
    eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
    """
)
# Also ordinary words: they name a month only where a day stands beside them or a capital begins them.
DOUBTFUL_MONTHS = _words("may mar mars marco mai mei maj sep dec jan jun jul oct nov dez march marca")
