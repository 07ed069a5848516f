"""How secrets are named and introduced, by language: patterns in lower case, for `named` and `shape`."""

from __future__ import annotations

from typing import NamedTuple


class Name(NamedTuple):
    """How a text may name a secret: `stem` stands in it, whatever else does. In the patterns "~" is a blank, or the
    hyphen or underscore that settings have instead."""

    stem: str
    kind: str
    rest: str = ""  # a pattern of what follows the stem
    before: str = ""  # a pattern of what stands before the stem


def _any(words: str) -> str:
    return "|".join(words.split())


def _names(kind: str, stems: str, rest: str = "", before: str = "") -> list[Name]:
    return [Name(stem.replace("~", " "), kind, rest, before) for stem in stems.split()]


_ALONE = r"(?<![^\W_])"  # not the end of a longer word
NAMES = (
    Name("pass", "password", r"(?:word|wd|phrase|code|wort|ord|~word|~phrase)s?"),
    *_names("password", "pass pw psw clave", before=_ALONE),
    *_names(
        "password",
        "pwd kennwort mdp contrasena senha wachtwoord adgangskode salasana sifre heslo mot~de~passe palavra-passe",
    ),
    *_names("password", "parola parola~d'ordine kata~sandi contraseña hasło lösenord şifre parolă jelszó mật~khẩu"),
    *_names("password", "парол", rest="(?:ь|я|ем)"),
    *_names("password", "κωδικός סיסמה كلمة~المرور كلمة~السر पासवर्ड"),
    *_names("pin", "pin", rest="(?:~?(?:code|number|nummer))?", before=_ALONE),
    *_names("pin", "cvv cvc otp geheimzahl пин", rest="(?:2|-?код)?", before=_ALONE),
    Name(
        "code",
        "pin",
        before="(?:verification|security|one-time|login|2fa|access|door|alarm|gate|safe|unlock|entry|lock|garage|locker|voicemail)~",
    ),
    *_names("password", "wifi wi-fi wlan", rest="~(?:key|code)"),
    *_names("private-key", "seed~phrase recovery~phrase mnemonic recovery~words seed~words secret~words"),
    *_names("private-key", "wiederherstellungsphrase phrase~de~récupération frase~de~recuperación frase~semilla"),
    Name("key", "private-key", before="private~?"),
    Name(
        "key",
        "api-key",
        rest="(?:~(?:id|base|value))?",
        before="(?:api|access|secret|account|auth|encryption|signing|master|license|subscription|deploy|admin|app)~?",
    ),
    *_names("api-key", "schlüssel ключ", before="(?:api|zugangs)~?"),
    *_names("api-key", "clé clave chave chiave", rest="~(?:d'|de~)?api"),
    *_names("token", "token jeton токен"),
    Name("cookie", "token", before="(?:auth|session)~?"),
    *_names("secret", "secret geheimnis"),
)
# Between a name and its value.
IS = _any(
    """(?:is~|was~|got~|has~been~)?(?:set|changed|reset|updated|rotated)~to (?:will|shall|should|must)~be wurde~auf
    used~to~be is was are be equals ist lautet war est es era è é jest to är er var это هي هو היא nu"""
)
NOW = _any("now currently still again jetzt nun maintenant ahora agora ora теперь")
# "the password for the staging server is": what it belongs to.
OF = _any(
    """for of to on at in für fürs beim im am von zu zum vom pour de du del des para do da dos per di della dello voor
    van dla для от"""
)
MINE = _any("the my our your his her a das mein unser mon le mi la el")
AS = _any("is as was ist als est comme es como")

CJK_PASSWORD = _any("密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 패스워드")
CJK_TOKEN = _any("api\\s?密钥 api\\s?キー api\\s?키 令牌 トークン 토큰")
CJK_IS = _any("是 为 為 は が 은 는 이 가")

# What may follow the name of a secret and is none.
_STOP = """
    a an the this that these those it its he she they we you i my your our their his her one ones something
    nothing anything everything and or but if so as at by for from in into of on onto over to under up with
    without via per than then there here where when why how who whom what which is are was were be been being am
    do does did has have had can could may might must shall should will would not no never none null nil undefined
    true false yes nope ok okay n/a na always now already still again also only just very too soon later today
    tomorrow yesterday required optional missing empty blank set unset unknown invalid valid correct incorrect
    wrong right expired expires expiring revoked rotated leaked compromised exposed stored saved kept hidden
    masked encrypted hashed salted shared public private secret confidential secure insecure safe weak strong long
    short case-sensitive sensitive reset resets changed changes change rotate rotates rotating use uses used using
    ask see check enter type provide contact please store keep put get read write create generate generated make
    made needs need minimum maximum min max at-least least most length size count string str text bytes int
    integer number bool boolean object any secretstr default same different new old current previous next first
    last other another both each every all some many more less few enough good bad better best important needed
    necessary allowed forbidden disabled enabled available ready pending done sent received given provided
    protected based-on based managed handled issued signed verified rejected accepted accessible visible login
    username user email admin-only manager policy policies rules field value values input output file files token
    tokens password passwords bearer basic jwt oauth sso saml api key keys vault keychain bitte siehe steht fehlt
    falsch richtig abgelaufen nicht noch immer der die das den dem ein eine ist war wird muss demander voir est
    oublié requis manquant incorrecte expiré expirée pas le la les un une des du de dans pedir ver está falta
    requerida incorrecta caducada expirada el los las en con para por obrigatória incorreta expirou não o os em
    com scaduta errata obbligatoria non il lo gli nel verplicht verlopen onjuist niet het een wygasło истек
    неверный нужен
"""
STOP = frozenset(_STOP.split())


def blanks(pattern: str, blank: str = r"[ _-]") -> str:
    """The pattern with what its "~" stand for."""
    return pattern.replace("~", blank)
