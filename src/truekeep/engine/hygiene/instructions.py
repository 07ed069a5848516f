"""Text that poses as an instruction to whoever reads it: phrases that address the reader as a model, by language.

Lists of phrases stop the clumsy only: whoever knows them writes around them. The defence is that trust comes from the
source, that what comes from nobody we trust can be left out (`min_trust`), and that a source can be rolled back.

The patterns are for text in lower case with single blanks. Every repetition has a bound, so that no text takes long. A
phrase needs several words that belong together, since a document may well speak *about* instructions.
"""

# ruff: noqa: RUF001  # letters of other alphabets are meant as they are

from __future__ import annotations

import re
from functools import cache

from truekeep.normal_forms import normal_form

from .spans import INVISIBLE

_TAG = re.compile(r"</?[a-z][^<>]{0,200}>")
_BETWEEN = re.compile(r"(?:[^\w.!?:;'<>|\[\]]|_)+")  # words of one sentence
_BLANKS = re.compile(r"[^\S\n]+")
_LONGEST = 160  # of the phrase that is told
_MODEL = r"(?:ai|assistants?|llms?|language models?|agents?|chatbots?|chatgpt|gpt|claude|gemini|copilot|bots?|models?)"
_URL = r"(?:https?|ftp|wss?)://|\bmailto:"

_ENGLISH = (
    r"""\b(?:ignore|disregard|forget|override|overrule|bypass|overwrite|discard|neglect) (?:[a-z']{1,12} ){0,4}?
        (?:previous|prior|above|earlier|preceding|foregoing|existing|former|past|initial|original|system
        |safety) (?:[a-z']{1,14} ){0,2}?(?:instructions?|prompts?|rules?|messages?|directions?|directives?
        |guidelines?|commands?|orders?|constraints?|guardrails?)\b""",
    r"""\b(?:ignore|disregard|forget|override|bypass) (?:all|any|your|my|these|those|every) (?:[a-z']{1,12} ){0,3}?
        (?:instructions?|prompts?|guidelines|guardrails|directives?|programming|training)\b""",
    r"""\b(?:ignore|disregard|forget) (?:everything|anything|all|what|the text
        |the instructions?) (?:[a-z']{1,12} ){0,4}?(?:above|before this|before now|so far|said|told|know)\b""",
    r"\b(?:ignore|disregard) the above\b",
    r"""\byou (?:must|shall|have to|are (?:required |instructed )?to) (?:now|always|never|henceforth|instead)\b
        |\byou (?:should|will|need to) (?:always|never|henceforth|now (?:act|be|answer|respond|behave|obey
        |follow))\b""",
    r"""\bfrom (?:now|this (?:moment|point)) on(?:ward)?s?,? (?:you|your|always|never|act|answer|respond|reply|every
        |all|when|the assistant|treat)\b""",
    r"\b(?:henceforth|going forward),? (?:you (?:must|should|will|are)|always|never|act|answer|respond)\b",
    r"""\byou are (?:now (?:an?|the|my|free|acting|operating|called|named|dan)
        |no longer (?:an?|bound|restricted|limited))\b""",
    r"""\b(?:act|behave|respond|answer) as (?:if you (?:are|were)|though you|an? (?:unrestricted|unfiltered
        |jailbroken|different))\b""",
    r"\bpretend (?:that )?(?:you|to be)\b",
    r"""\byour (?:new|real|true|actual|only|next|primary|updated) (?:[a-z]{1,12} )?(?:task|goal|instructions?
        |objective|mission|role|purpose|rules?|identity|persona)\b""",
    rf"""\b(?:new|updated|revised|additional|important|urgent|real|secret|hidden|special|override) (?:[a-z]{{1,12}} )?
        instructions? ?(?::|(?:for|to) (?:the |any |an? )?(?:[a-z]{{1,12}} )?{_MODEL}\b)""",
    r"""\b(?:remember|memori[sz]e|keep in mind|(?:do not|don't|never) forget)(?: that|:|,)? (?:that )?(?:you\b|your\b
        |(?:the|this|your) (?:user|owner|human|operator|customer)\b)""",
    r"""\b(?:store|save|add|write|commit|record|put|insert|persist|keep|log) (?:[a-z'"]{1,14} ){0,5}?(?:in|to|into
        |as) (?:a |an |your |the |its |their )?(?:long-? ?term |persistent |permanent |core )?memor(?:y|ies)\b""",
    r"""\b(?:update|edit|change|modify|overwrite|erase|delete|wipe|clear|poison) (?:all )?
        (?:of )?your (?:[a-z-]{1,12} )?memor(?:y|ies)\b""",
    r"\b(?:your|my|new|hidden|full|entire|whole|initial|secret) system (?:prompt|message|instructions?)\b",
    r"""\b(?:reveal|print|show|repeat|output|leak|display|share|tell|give|send|quote|dump|expose|ignore
        |replace) (?:[a-z']{1,12} ){0,4}?(?:system|developer|initial) (?:prompt|message|instructions?)\b""",
    r"\bsystem prompt ?:",
    r"""\b(?:do not|don't|never|must not|mustn't|without) (?:tell|telling|inform|informing|alert|alerting|notify
        |notifying|warn|warning|mention|mentioning|reveal|revealing|disclose|disclosing|show|showing
        |let) (?:[a-z']{1,12} ){0,5}?(?:user|users|human|humans|operator|owner|customer|anyone|anybody)\b""",
    r"""\b(?:when(?:ever)?|if|every time|each time|any time) (?:the user|a user|users|anyone|someone|somebody|they
        |you are|you're) (?:ever )?(?:asks?|asked|mentions?|says?|requests?|wants?|types?|talks?) [^.\n]{0,80}?\b
        (?:always|never|say|answer|respond|reply|recommend|tell|claim|insist|refuse|suggest|direct)\b""",
    rf"""\b(?:dear|hey|hello|attention|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)|important for
        |listen,?) (?:the |all |any |an? |this |your )?(?:[a-z]{{1,12}} )?{_MODEL}\b""",
    rf"\bif you are (?:an? |the )?(?:[a-z]{{1,12}} )?{_MODEL}\b",
    r"\bas an? (?:[a-z]{1,12} )?(?:ai|llm|language model|assistant),? you\b",
    rf"""(?:^|[.!?:;,"'(] ?|\b(?:and|then|please|must|should|always|now|you|to|silently|also) )(?:send|post|forward
        |upload|e-?mail|transmit|exfiltrate|leak|submit|report|copy|append) [^\n]{{1,120}}? (?:to|at|via) (?:<|\(|"
        |'|`|the url |this url:? )?(?:{_URL})""",
    r"""(?:^|[.!?:;,"'(] ?|\b(?:and|then|please|must|should|silently) )(?:send|forward|upload|e-?mail|leak
        |exfiltrate) (?:[a-z']{1,14} ){0,4}?(?:conversation|chat|history|memor(?:y|ies)|secrets?|passwords?
        |credentials?|api keys?|tokens?|private data) (?:[a-z']{1,12} ){0,4}?to\b""",
    r"\b(?:developer|dan|god|jailbreak|unrestricted) mode\b|\bdo anything now\b|\bjailbroken\b",
    r"\bthis (?:instruction|message|rule|directive) (?:overrides|supersedes|takes precedence|replaces)\b",
)

_MARKERS = (
    r"""<\| ?(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|start_header_id
        |eot_id|endofprompt) ?\|>""",
    r"""\[/?inst\]|<</?sys>>|<start_of_turn>|<end_of_turn>|</?(?:system|assistant|instructions?|system[-_]prompt
        |system[-_]reminder)>""",
    r"(?:^|\s)#{2,6} ?(?:system|instructions?|assistant|developer) ?(?:prompt|message)? ?:",
    r"^ ?(?:\[system\]|\*\*system\*\*|system (?:message|override|notice|instruction|update|command) ?:)",
)

_GERMAN = (
    r"""\b(?:ignoriere?|vergiss|missachte|vergesst|ignorieren sie|vergessen sie) (?:[a-zäöüß]{1,14} ){0,3}?
        (?:vorherigen?|bisherigen?|vorigen?|obigen?|früheren?|vorangegangenen?|alle|deine
        |ihre) (?:[a-zäöüß]{1,14} ){0,2}?(?:anweisung(?:en)?|instruktionen|regeln|befehle|vorgaben|prompts?
        |nachrichten)\b""",
    r"""\bab (?:jetzt|sofort|nun) (?:musst|sollst|wirst|bist|darfst|antwort\w{0,6}|gilt)\b|\bdu (?:musst
        |sollst) (?:ab jetzt|jetzt|immer|nie|niemals)\b|\bdu bist (?:jetzt|nun|ab jetzt)\b""",
    r"""\b(?:merke? dir|merken sie sich|denk daran),? dass (?:du|sie|der (?:nutzer|benutzer|anwender|kunde)
        |die nutzerin)\b|\bspeichere (?:[a-zäöüß]{1,14} ){0,4}?(?:gedächtnis|speicher)\b""",
    r"""\b(?:sage?|verrate?|erzähle?|teile?|zeige?) (?:es |das |davon |dies )?(?:dem|der|den) (?:nutzer(?:in)?
        |benutzer(?:in)?|anwender(?:in)?|kunden) (?:[a-zäöüß]{1,14} ){0,3}?(?:nichts|nicht)\b|\bneue anweisung
        (?:en)? ?:""",
)

_FRENCH = (
    r"""\b(?:ignorez?|oubliez?|ne tiens? pas compte|ne tenez pas compte) (?:[a-zà-ÿ']{1,14} ){0,4}?(?:instructions?
        |consignes?|règles?|messages?|ordres?) (?:[a-zà-ÿ-]{1,14} ){0,2}?(?:précédente?s?|antérieure?s?|ci-dessus
        |initiale?s?|du système)""",
    r"""\b(?:à partir de maintenant|désormais|dorénavant),? (?:tu|vous|toujours|réponds?|répondez)\b|\b(?:tu dois
        |vous devez) (?:maintenant|toujours|désormais)\b|\btu es (?:maintenant|désormais)\b""",
    r"""\b(?:souviens-toi|retiens|rappelle-toi|souvenez-vous|retenez|n'oublie pas) (?:que |qu')(?:tu|vous
        |l'utilisateur|l'utilisatrice|le client|il faut)\b|\bnouvelles? (?:instructions?|consignes?) ?:""",
    r"""\bne (?:le )?(?:dis|dites|révèle|révélez|mentionne|mentionnez|montre|montrez) (?:[a-zà-ÿ']{1,12} ){0,3}?
        (?:à l'utilisat(?:eur|rice)|aux utilisateurs|au client)\b|\b(?:enregistre|mémorise
        |sauvegarde)z? (?:[a-zà-ÿ']{1,12} ){0,5}?mémoire\b""",
)

_SPANISH_AND_PORTUGUESE = (
    r"""\b(?:ignora|ignore|ignorad|olvida|olvide|esqueça|esquece|descarta|desconsidere
        |omite) (?:[a-zà-ÿ]{1,14} ){0,3}?(?:instrucciones|instruções|instruçoes|reglas|regras|órdenes|ordens
        |mensajes|mensagens|indicaciones|comandos) (?:[a-zà-ÿ]{1,12} ){0,2}?(?:anteriores|previas|prévias|de arriba
        |acima|iniciales|iniciais|del sistema|do sistema)\b""",
    r"""\ba partir de (?:ahora|agora|este momento),? (?:tú|usted|você|debes|debe|deve|responde|siempre|sempre|eres|é
        |serás|vas)\b|\b(?:debes|debe|deve|tienes que|você deve) (?:siempre|sempre|ahora|agora|nunca)\b|\b
        (?:ahora eres|agora você é)\b""",
    r"""\b(?:recuerda|recuerde|lembre-se|lembra-te|memoriza|guarda) (?:de )?que (?:tú|usted|você|debes|deve
        |el usuario|la usuaria|o usuário|a usuária|o utilizador|el cliente|o cliente)\b|\b(?:guarda|guarde|salve
        |almacena|armazene|grave) (?:[a-zà-ÿ]{1,12} ){0,5}?(?:en|na|em|sua|tu) (?:[a-zà-ÿ]{1,12} )?mem[oó]ria\b""",
    r"""\bn(?:o|ão) (?:(?:le|se|lo) ){0,2}(?:digas|diga|cuentes|cuente|conte|reveles|revele|menciones|mencione
        |informes|informe|avise) (?:[a-zà-ÿ]{1,12} ){0,3}?(?:al|a los|ao|aos|à) (?:usuarios?|usuários?|utilizador
        (?:es)?|clientes?)\b|\b(?:nuevas instrucciones|novas instruções) ?:""",
)

_ITALIAN_AND_DUTCH = (
    r"""\b(?:ignora|dimentica|ignorate|tralascia) (?:[a-zà-ÿ]{1,14} ){0,3}?(?:istruzioni|regole|messaggi|ordini
        |comandi) (?:[a-zà-ÿ]{1,12} ){0,2}?(?:precedenti|sopra|iniziali|di sistema)\b|\bd'ora in (?:poi
        |avanti),? (?:devi|tu|sei|rispondi|sempre)\b|\bdevi (?:sempre|ora|adesso)\b""",
    r"""\b(?:ricorda|ricordati|memorizza) che (?:tu|devi|l'utente|il cliente)\b|\bnon (?:dire|rivelare|menzionare
        |dirlo) (?:[a-zà-ÿ]{1,12} ){0,3}?(?:all'utente|agli utenti|al cliente)\b|\bnuove istruzioni ?:""",
    r"""\b(?:negeer|vergeet) (?:[a-zà-ÿ]{1,14} ){0,3}?(?:vorige|eerdere|voorgaande|bovenstaande
        |alle) (?:[a-z]{1,12} )?(?:instructies|opdrachten|regels|aanwijzingen|berichten)\b|\bvanaf nu (?:moet|ben
        |zul|antwoord)\b|\bje moet (?:nu|altijd|nooit)\b""",
    r"""\b(?:onthoud|bedenk) dat (?:je|jij|u|de (?:gebruiker|klant))\b|\b(?:vertel|zeg) (?:[a-z]{1,8} ){0,2}?
        (?:niets |niet )?(?:aan )?de (?:gebruiker|klant) (?:[a-z]{1,8} ){0,2}?(?:niets|niet)\b
        |\bnieuwe instructies ?:""",
)

_RUSSIAN = (
    r"""\b(?:за)?игнорируй(?:те)? (?:[а-яё]{1,14} ){0,3}?(?:предыдущие|прежние|прошлые|вышеуказанные
        |все) (?:[а-яё]{1,14} )?(?:инструкции|указания|команды|правила|сообщения)|\bзабудь
        (?:те)? (?:[а-яё]{1,14} ){0,3}?(?:инструкции|указания|правила|команды)""",
    r"""\b(?:с этого момента|отныне|теперь),? (?:ты|вы|всегда|отвечай(?:те)?)\b|\b(?:ты должен|вы должны) (?:теперь
        |всегда|никогда)\b|\bзапомни(?:те)?,? что (?:ты|вы|пользователь|клиент)\b|\bне (?:говори(?:те)?|сообщай
        (?:те)?|рассказывай(?:те)?|показывай(?:те)?) (?:[а-яё]{1,10} ){0,2}?(?:пользователю|клиенту)\b|\bсистемн
        (?:ый|ого|ому) промпт|\bновые инструкции ?:""",
)

_POLISH_AND_TURKISH = (
    r"""\b(?:zignoruj|ignoruj|zapomnij) (?:[a-ząćęłńóśźż]{1,14} ){0,3}?(?:poprzednie|wcześniejsze|powyższe
        |wszystkie) (?:[a-ząćęłńóśźż]{1,14} )?(?:instrukcje|polecenia|zasady|wiadomości)\b|\bod (?:teraz
        |tej pory),? (?:musisz|jesteś|zawsze|odpowiadaj)\b|\bzapamiętaj,? że (?:musisz|użytkownik|jesteś)\b
        |\bnie mów (?:[a-ząćęłńóśźż]{1,10} ){0,2}?użytkownikowi\b""",
    r"""\bönceki (?:[a-zçğıöşü]{1,14} )?(?:talimatlar\w{0,6}|komutlar\w{0,6}
        |kurallar\w{0,6}) (?:[a-zçğıöşü]{1,10} )?(?:yok say|görmezden gel|unut|dikkate alma)|\bbundan (?:sonra
        |böyle),? (?:sen|her zaman|daima)\b|\bkullanıcıya (?:[a-zçğıöşü]{1,12} ){0,2}?söyleme\b""",
)

_EAST_ASIAN = (
    r"""(?:忽略|无视|無視|忘记|忘掉|忘記|不要理会|跳过)[^。\n]{0,12}?(?:之前|以前|以上|先前|上述|前面|所有|系统
        |系統)[^。\n]{0,8}?(?:指令|指示|说明|說明|提示|规则|規則|命令|消息|内容|內容)""",
    r"""从现在(?:起|开始)|從現在(?:起|開始)|你(?:必须|必須|应该|應該)(?:总是|總是|始终|始終|现在|現在|永远|永遠)|
        (?:请|請)?(?:记住|記住|牢记)[:：,，]?(?:你|用户|用戶|使用者)|不要(?:告诉|告訴|通知|透露给|让)(?:用户|用戶
        |使用者)|(?:系统|系統)提示(?:词|詞)|新(?:的)?(?:指令|指示)[:：]|(?:保存|存储|存儲|写入|寫入|存)到?(?:你的)?
        (?:长期|長期)?(?:记忆|記憶)""",
    r"""(?:以前|前|上記|これまで|先|すべて|全て)の?[^。\n]{0,8}?(?:指示|命令|ルール|プロンプト
        |メッセージ)を?[^。\n]{0,8}?(?:無視|忘れ)|これから(?:は)?(?:あなた|常に|必ず)|今後は?(?:あなた|常に|必ず)
        |あなたは(?:今から|常に|必ず)|ユーザーに(?:は)?[^。\n]{0,10}?(?:言わない|伝えない|教えない|知らせない
        |話さない)|システムプロンプト|新しい指示[:：]|(?:メモリ|記憶)に保存""",
    r"""(?:이전|위|앞)의? ?(?:모든 )?(?:지시|명령|지침|규칙|프롬프트|메시지)[^.\n]{0,10}?(?:무시|잊)|지금부터 ?(?:너
        |당신|항상|는)|(?:너는|당신은) ?(?:이제|항상)|사용자에게 ?[^.\n]{0,10}?(?:말하지|알리지|보여주지)
        |시스템 ?프롬프트|새로운 지시 ?[::]|메모리에 저장""",
    r"""تجاهل (?:[^\s]{1,12} ){0,3}?(?:التعليمات|الأوامر|القواعد)|لا تخبر المستخدم|من الآن فصاعدا
        |पिछले (?:[^\s]{1,10} )?(?:सभी )?निर्देशों? (?:[^\s]{1,6} )?(?:अनदेखा|भूल)""",
)

_LATIN = (*_ENGLISH, *_MARKERS, *_GERMAN, *_FRENCH, *_SPANISH_AND_PORTUGUESE, *_ITALIAN_AND_DUTCH, *_POLISH_AND_TURKISH)
_OTHERS = (*_RUSSIAN, *_EAST_ASIAN)


def poses_as_instruction(text: str) -> str | None:
    """The phrase that gives the text away, in lower case; None when there is none."""
    plain = _plain(text)
    for form in dict.fromkeys((plain, _unmarked(plain))):
        for pattern in patterns(beyond_ascii=not form.isascii()):
            if found := pattern.search(form):
                return found[0].strip()[:_LONGEST]
    return None


def _plain(text: str) -> str:
    """One form for what is written in several, without what nobody sees."""
    if not text.isascii():
        text = INVISIBLE.sub("", normal_form("NFKC", text)).replace("\u2019", "'")
    return _BLANKS.sub(" ", text.casefold())


def _unmarked(plain: str) -> str:
    """The words of each sentence with a blank between them, whatever stands there: a line break, a hyphen, markup."""
    return _BETWEEN.sub(" ", _TAG.sub(" ", plain))


@cache
def patterns(*, beyond_ascii: bool) -> tuple[re.Pattern[str], ...]:
    """All of them, or those that can be found in plain ASCII. Made when first needed: it takes a while."""
    chosen = _LATIN + _OTHERS if beyond_ascii else _LATIN
    return tuple(re.compile(re.sub(r"\n *", "", phrase), re.MULTILINE) for phrase in chosen)
