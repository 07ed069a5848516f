"""Phrases of change, matched on folded text.

Linear patterns only: no repetition inside another. All phrases of one kind begin at a word, which makes the search ten
times faster than a boundary in each of them.
"""

from __future__ import annotations

import re

_SPACED: list[str] = []
_UNSPACED: list[str] = []


def _phrases(*alternatives: str, unspaced: str = "") -> re.Pattern[str]:
    """One pattern for all; those of scripts without spaces may begin anywhere."""
    _SPACED.extend(alternatives)
    _UNSPACED.extend(filter(None, [unspaced]))
    pattern = rf"\b(?:{'|'.join(alternatives)})"
    return re.compile(f"{pattern}|{unspaced}" if unspaced else pattern)


CHANGE = _phrases(
    "no longer|from now on|these days|as of |any more|any longer|instead of|rather than|takes over",
    "took over|taking over",
    "take over|taken over|hand over|handed over|over to|going forward|moving forward|from here on",
    "effective|in place of",
    "down to|goes up|went up|goes down|went down|pushed back|brought forward|gone fully|not any more|make it|make that",
    "nicht mehr|ab sofort|ab jetzt|kein[a-z]{0,2} mehr|von nun an|ne [a-z']{1,20} plus|n'[a-z]{1,20} plus|a partir de",
    "au lieu|d'ora in poi|ya no|en vez de|en lugar de|non [a-z]{1,20} piu|al posto|ja nao|em vez|niet meer",
    "geen [a-z]{1,20} meer|in plaats van|vanaf nu|inte langre|juz nie|od teraz",
    unspaced="改为|改成|换成|现在|不再|に変更|になりました|変わりました|今は|もう",
)
END = _phrases(
    "step(?:s|ped|ping) down|went back|gave up|given up|giving up|shut down|phased out|taken down|handing|hands? over",
    "fell through|called off|moved on|let go",
)
HATE = _phrases(
    "can'?t stand|cannot stand|can not stand|gone off|went off|fed up|sick of|puts? me off|not a fan|off the table",
    "not (?:my|our) thing|turned off by|kann [a-z]{1,20} nicht leiden|no soporto|non sopporto|nao suporto",
)
ADDED = _phrases(
    "as well|in addition|on top of|on the side",
    "(?:an?|my|our) (?:second|third)\\b|eine? zweite[rsn]?\\b|une? deuxieme|un[ao]? second[ao]|uma? segund[ao]",
    "een tweede|en andra",
    unspaced="还有|也|もう一",
)
SAME = _phrases(
    "as before|as ever|as always|same as|the rest|nothing else|no change|like always|wie bisher|wie gehabt|immer noch",
    "comme avant|como siempre|come sempre|como sempre|zoals altijd",
)
REMIND = _phrases(
    "don'?t forget(?: that)?|do not forget|remember(?: that)?|reminder(?: that)?[:,]?|as i said",
    "like i said|as i mentioned",
    "as mentioned|told us(?: earlier| before)?|i told you|again[:,]|once more[:,]?|to repeat[:,]?",
    "same as [a-z ]{1,20}:",
    "to be precise,?|quick context,?|for the record,?|by the way,?|can confirm,?|just confirming,?|wie gesagt",
    "zur erinnerung|nicht vergessen:?|comme (?:je l'ai )?dit|pour rappel|n'oublie[zs]? pas|como (?:ya )?dije",
    "recuerda(?: que)?|recordad(?: que)?|come (?:ho )?detto|ricorda(?: che)?|como disse|lembra(?: que)?",
    "lembre-se(?: que)?",
    "zoals gezegd|vergeet niet|denk eraan|som sagt|kom ihag",
)
RETRACT = _phrases(
    "scratch (?:that|what|the|my|it)|disregard\\b|never ?mind\\b|strike (?:that|the|my|what|it)",
    "take (?:that|it|this) back",
    "(?:take|taking|took) back (?:what|my)|i was wrong",
    "(?:that|it|this) was (?:wrong|a mistake|an error|nonsense|false)",
    "(?:that|it|this) is wrong|that's (?:wrong|not true|not right)|was mistaken|my (?:bad|mistake)|i misspoke|not true",
    "(?:is|was)(?:n'?t| not) (?:true|right|correct|the case)|is false",
    "(?:mixed|mixing) (?:(?:it|them|that|those|this) )?up\\b",
    "(?:was|is|were|are) wrong\\b|misread|misheard|wrongly|withdraw (?:my|the|what)|withdrawn",
    "don'?t keep|no longer (?:valid|true|applies|relevant)",
    "(?:delete|remove|erase|discard) (?:my|that|what|the (?:note|entry|bit|thing))\\b",
    "does(?:n'?t| not) (?:hold|apply)\\b",
    "turn(?:s|ed) out|never happened|(?:is|are) void|made (?:that|it|this) up|misunderst",
    "(?:forget|ignore) (?:that|what|about|my|the|it|everything)\\b|vergiss|stimmt (?:so )?nicht|ignorier|streich",
    "war (?:falsch|ein irrtum|ein fehler)|habe? mich (?:geirrt|vertan)|missverstandnis|oubliez? |c'etait faux|est faux",
    "n'est pas vrai|je me suis tromp|ne ten(?:ez|is) pas compte|malentendu|olvid[aeo]\\b|no es (?:cierto|verdad)",
    "me equivoque|era (?:falso|un error)|malentendido|dimentica|non e vero|mi (?:sono|ero) sbagliat",
    "era sbagliat|malinteso",
    "ignora (?:quello|quanto|la|il)|esquec[ea]\\b|nao e verdade|me enganei|estava errad|vergeet (?:wat|dat|het|mijn)",
    "klopt niet|was fout|negeer|heb me vergist|glom (?:det|vad)|missforstand|zapomnij",
)
TENTATIVE = _phrases(
    "thinking (?:about|of)|consider(?:ing)?\\b|might|maybe|perhaps|wonder(?:ing)?\\b|what if",
    "if (?:we|i|they)\\b|rumou?r",
    "propos(?:e|al|ed|es)\\b|suggest(?:s|ed)? (?:we|to|that)\\b|not sure|vielleicht|peut-etre|quizas?\\b",
    "forse\\b|talvez",
    "misschien|kanske|moze\\b",
)
ENDED_USE = _phrases(
    "no longer|any ?more\\b|any longer|stop(?:ped|s|ping)\\b|stop [a-z]{2,20}ing\\b|quit(?:ting)?\\b",
    "gave up|given up|nicht mehr|kein[a-z]{0,2} mehr",
    "ne [a-z']{2,20} plus\\b|n'[a-z]{1,20} plus\\b|ya no|non [a-z]{1,20} piu\\b|niente piu\\b|ja nao|niet meer",
    "geen [a-z]{1,20} meer|arret(?:e|er|ons)\\b|dej(?:o|e|amos) de|smesso|par(?:ei|ou|amos) de|aufgehort|gestopt",
    "inte langre|juz nie|back from|is off\\b|are off\\b|disabled|switched off|turned off|off limits",
    unspaced="不再|なくな",
)
# Any of the above: most clauses hold none of them, and are told by one search.
ANY = re.compile(rf"\b(?:{'|'.join(_SPACED)})|{'|'.join(_UNSPACED)}")
# What was forbidden is no longer: "not allergic", "no longer banned".
NOT_AGAINST = re.compile(
    r"(?:\bnot|n'?t|\bno longer|\bnever|\bnicht mehr|\bplus|\bya no|\bnon piu|\bniet meer)(?: [a-z]+)? (?:hate|dislike"
    r"|allergic|forbidden|banned|prohibited|against|verboten|interdit|prohibido|vietato|proibido|verboden)"
)
# What failed before has worked.
SUCCESS = _phrases(
    "works? now|worked|now works|working now|works (?:fine|again|well)|succeeded",
    "got (?:it|this|that) (?:to work|working)",
    "(?:is|are|was) (?:fixed|solved|resolved)|fixed (?:it|that|the)|solved (?:it|that|the)",
    "pass(?:es|ed) now|no longer fails",
    "did the trick|went through|finally works|funktioniert|klappt|lauft jetzt|geklappt|marche\\b|fonctionne|funciona",
    "funziona|werkt(?: nu)?\\b|fungerar|dziala",
)
