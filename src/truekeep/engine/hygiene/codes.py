"""Codes that open something, as people tell them: "the gate code is 4471", "Türcode 2580", "code du coffre : 55-12-03".

The number alone says nothing, and neither does "code": there are codes of errors, of countries and of dress. What it
opens, or that it is for signing in, must be said as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from .shape import is_measure, is_random
from .spans import Span, made_later

_WORDS = """
    cod cód comb kombi pin wifi wi-fi wlan ssid open unlock log öffn token key schlüssel session= sid= 2fa mfa
    otp recovery backup
"""
_TRIGGERS = tuple(_WORDS.split())
# What each pattern cannot do without, and how many characters of a match may stand before it.
_BEFORE = 32
_OF_CODES = (
    *("cod", "cód", "comb", "kombi", "pin", "2fa", "mfa", "otp", "recovery", "backup"),
    *("opens", "unlocks", "öffnet", "ouvre", "abre", "apre"),
)
_OF_NETWORKS = ("wifi", "wi-fi", "wlan", "ssid", "hotspot", "network", "router")
_OF_SIGNING_IN = ("unlock", "log in", "login", "sign in", "log on")
_OF_TOKENS = ("token", "key", "secret", "schlüssel", "clé", "clave", "chiave", "chave", "sleutel")
_OF_SESSIONS = ("session=", "id=")
_THINGS = (
    "door|front door|gate|alarm|safe|lock|locker|garage|entry|entrance|building|lift|elevator|key ?box|lock ?box|bike"
    "|suitcase|padlock|shed|vault|cabinet|voicemail|verification|security|one[- ]time|log-?in|sign-?in|sms|text|2fa|mfa"
    "|access|unlock|recovery|backup|activation|sim|phone|tablet|laptop|house|flat|office|room|storage|intercom|keypad"
)
_ROMANCE = (
    "porte|portail|coffre|alarme|immeuble|entrée|garage|cadenas|vérification|sécurité|accès|secours|digicode"
    "|puerta|portal|portón|alarma|caja fuerte|garaje|candado|taquilla|verificación|seguridad|acceso|recuperación"
    "|porta|cancello|cassaforte|allarme|portone|lucchetto|armadietto|verifica|sicurezza|accesso|recupero|portão|cofre"
    "|garagem|cadeado|cacifo|verificação|segurança|acesso|recuperação|deur|poort|kluis|slot|fiets|voordeur|hek"
)
_CODE = "codes?|codice|codici|c[oó]digos?|combination|combo|kombination|combinaison|combinaci[oó]n|combinazione"
_JOINED = (  # in one word, as in German and Dutch
    "(?:tür|tuer|tor|tresor|safe|alarm|zugangs|zutritts|schließfach|schloss|haus|garagen|sicherheits|bestätigungs|einmal"
    "|entsperr|freischalt|anmelde|login|sms|wiederherstellungs|deur|poort|kluis|toegangs|inlog|herstel|beveiligings"
    "|verificatie|slot|pin)-?codes?|digicode|zahlenkombination"
    "|(?:my|mein|meine|mon|mi|mijn|meu|mio|sim|card|karten)[ -]pin"
)
_OF = (
    r"(?:for|to|of|für|zum|zur|vom|du|de|del|della|dello|do|da|di|van|voor)"
    r"\s(?:(?:the|my|our|la|le|el|il|lo|de|het|der|die)\s)?|(?:d|de l|dell)['\u2019]\s?"
)
_IS = (
    r"[^\w\n]{0,4}(?:(?:is|was|are|ist|lautet|war|est|c['\u2019]est|es|è|é|now|jetzt|s|set to|changed to|to)"
    r"[^\w\n]{1,3}){0,3}"
)
_SPOKEN = (  # digits that are read out
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun"
    "|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|due|tre"
    "|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete|oito|nul|een|twee|drie|vijf|zes|zeven|negen"
)
_NUMBER = (
    r"[#*]?(?P<value>\d(?:[ .-]?\d){2,11}[a-z]?|[a-z0-9]{2,6}(?:-[a-z0-9]{2,6}){1,5}|[a-z]{0,2}\d[a-z0-9]{2,9})"
    rf"[#*]?(?!\w)|(?P<spoken>(?:(?:{_SPOKEN})[ ,-]{{1,2}}){{2,11}}(?:{_SPOKEN}))(?!\w)"
)
_ABOUT = (  # "for the depot", "over there"
    r"\s(?:over\s|out\s|down\s|up\s)?(?:there|here)"
    r"|\s(?:for|to|at|on|zum|zur|für|pour|para|per|voor)\s(?:[^\W\d]{1,20}\s){0,3}?[^\W\d]{1,20}"
    r"(?=\s(?:is|was|ist|est|es|è|é)\s)"
)
_SHORTEST = 3  # digits


def find(text: str, lowered: str) -> Iterator[Span]:
    """Codes in the text; `lowered` is the same text in lower case, of the same length."""
    if not any(map(lowered.__contains__, _TRIGGERS)):
        return
    for match in _found(_codes, _OF_CODES, lowered):
        start, end = match.span("spoken" if match["spoken"] else "value")
        is_long = bool(match["spoken"]) or sum(map(str.isdigit, match["value"])) >= _SHORTEST
        if is_long and not is_measure(lowered[end : end + 24]):
            yield Span(start, end, "pin")
    for pattern, words, kind in (
        (_networks, _OF_NETWORKS, "password"),
        (_signing_in, _OF_SIGNING_IN, "password"),
        (_split, _OF_TOKENS, "token"),
        (_sessions, _OF_SESSIONS, "token"),
    ):
        for match in _found(pattern, words, lowered):
            span = match.span("value")
            if is_random(text[slice(*span)].replace(" ", "")) or any(map(str.isdigit, match["value"])):
                yield Span(*span, kind)


def _found(pattern: Callable[[], re.Pattern[str]], words: Sequence[str], lowered: str) -> Iterator[re.Match[str]]:
    """Matches of the pattern. It is tried only shortly before a word that it cannot do without: elsewhere in a long
    text, which is nearly everywhere, it would only cost time.
    """
    start = 0
    for place in sorted(chain.from_iterable(_places(word, lowered) for word in words)):
        start = max(start, place - _BEFORE)
        while start <= place:
            match = pattern().match(lowered, start)
            if match:
                yield match
            start = match.end() if match else start + 1


def _places(word: str, lowered: str) -> Iterator[int]:
    place = lowered.find(word)
    while place >= 0:
        yield place
        place = lowered.find(word, place + 1)


# To make all of them at once would slow every start.

_NAMED = rf"(?:{_THINGS})[\s-]{{1,2}}(?:{_CODE})|(?:{_CODE})\s(?:(?:{_OF})?(?:{_THINGS}|{_ROMANCE}))|{_JOINED}"
_RECOVERY = r"(?:2fa|mfa|otp)(?:\s(?:recovery|backup|key|codes?)){0,2}|(?:recovery|backup)\s(?:key|codes?)"
_USED = r"(?:use|enter|type|with|tippe|saisis|usa|introduce|voer)\s(?:the\s)?code"
_OPENS = r"(?:opens|unlocks|öffnet|s['\u2019]ouvre|se abre|si apre|abre)\s(?:with|mit|avec|con|com|met)"
_codes = made_later(rf"(?<!\w)(?:{_NAMED}|{_RECOVERY}|{_USED}|{_OPENS})(?:{_ABOUT})?{_IS}(?:{_NUMBER})")
# A wireless network with its key: "wifi: Harbour / kaffee-Zebra-88".
_NETWORK = r"(?<!\w)(?:wi-?fi|wlan|ssid|hotspot)"
_KEY = r"(?:key|code|schlüssel|clé|clave|chave|chiave|sleutel)"
_KEY_OF = (
    rf"{_NETWORK}[ -]?{_KEY}(?:{_IS}|(?:\s[^\W\d]{{1,20}}){{1,4}}?\s(?:is|ist|est|es|è|é)\s)|{_KEY}\s{_NETWORK}{_IS}"
)
_PAIRED = rf"{_NETWORK}\s?[:=]?\s[^\s/|,]{{2,32}}\s?[/|]\s?"
_BESIDE = rf"(?:{_NETWORK}|(?<!\w)(?:network|router))[^\n.]{{0,40}}[ ,]key\s"
_networks = made_later(rf"(?:{_PAIRED}|{_KEY_OF}|{_BESIDE})(?P<value>[^\s,;\"']{{6,64}}(?<![.!?]))")
# "log in as admin with Pinguin#7"
_signing_in = made_later(
    r"(?<!\w)(?:unlock|log ?in|sign in|log on)\b[^.\n]{0,40}?\bwith\s"
    r"(?P<value>(?=\S{0,30}\d)(?=\S{0,30}[!#$%&*@^~])\S{6,40}(?<![.,!?]))"
)
# A token that was read out in groups.
_GROUP = r"(?=[a-z]{0,7}\d)(?=\d{0,7}[a-z])[0-9a-z]{3,8}"
_TOKEN = r"(?<!\w)(?:token|key|secret|schlüssel|clé|clave|chiave|chave|sleutel)"
_split = made_later(rf"{_TOKEN}{_IS}(?P<value>(?:[a-z]{{2,4}} ){{0,2}}(?:{_GROUP} ){{2,9}}{_GROUP})(?!\w)")
_sessions = made_later(r"(?<!\w)(?:session(?:id)?|sid|phpsessid|jsessionid)=(?P<value>[a-z0-9%._-]{16,})")
