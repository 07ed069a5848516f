"""Secrets are found by their shape, their frame, their check digit or their name; what only looks like one stays."""

from __future__ import annotations

import random
import string

import pytest

from truekeep.engine.hygiene import Cleaned, redacted

DICE = random.Random(20)
LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def drawn(size: int, alphabet: str = LETTERS) -> str:
    """Random, and never by chance without a digit or a letter."""
    return "".join(DICE.choice(alphabet) for _ in range(size - 4)) + "a1b2"


TOKENS = {
    "AWS": "AKIA" + drawn(12, string.ascii_uppercase).upper().replace("1", "7") + "QWER",
    "GitHub": "ghp_" + drawn(36),
    "GitHub, shortened": "ghs_" + drawn(20),
    "GitHub, fine-grained": f"github_pat_{drawn(22)}_{drawn(59)}",
    "GitLab": "glpat-" + drawn(20),
    "Slack": f"xoxb-123456789012-123456789012-{drawn(24)}",
    "Stripe": "sk_live_" + drawn(24),
    "Stripe, test": "sk_test_" + drawn(24),
    "Stripe, restricted": "tk_live_" + drawn(24),
    "OpenAI": "sk-" + drawn(48),
    "OpenAI, project": f"sk-proj-{drawn(20)}-{drawn(40)}",
    "Anthropic": "sk-ant-api03-" + drawn(80),
    "a sandbox": "sk-test-" + drawn(18),
    "Google": "AIza" + drawn(35),
    "Google OAuth": "ya29." + drawn(60),
    "npm": "npm_" + drawn(36),
    "PyPI": "pypi-AgEI" + drawn(80),
    "SendGrid": f"SG.{drawn(22)}.{drawn(43)}",
    "Twilio": "SK" + drawn(32, HEX),
    "Telegram": "123456789:AA" + drawn(33),
    "Hugging Face": "hf_" + drawn(34),
    "Azure": f"{drawn(4)[:3]}8Q~{drawn(34)}",
    "Shopify": "shpat_" + drawn(32, HEX),
    "DigitalOcean": "dop_v1_" + drawn(64, HEX),
    "Truekeep": "tk_" + drawn(43),
    "a JWT": f"eyJ{drawn(20)}.eyJ{drawn(40)}.{drawn(43)}",
    "another maker": "acme_live_" + drawn(24),
    "another maker's test": "acme_test_" + drawn(16),
}
PLACES = [
    "{}",
    "the key is {}.",
    "here: {}, put it in the runner",
    "({})",
    "api_key={}",
    "x='{}'",
    "https://{}@git.example/x",
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("maker", TOKENS)
def test_keys_of_the_usual_makers_are_told_by_their_shape(maker: str, place: str) -> None:
    clean = redacted(place.format(TOKENS[maker]))

    assert TOKENS[maker][8:] not in clean.text
    assert set(clean.kinds) < {"api-key", "token", "url-password"}  # one of them
    assert place.split("{}")[0] in clean.text


@pytest.mark.parametrize("password", ["hunter2", "Tr0ub4dor&3-lisbon", "S3cr3t!Pass", "x9$kQ!2m"])
@pytest.mark.parametrize(
    "said",
    [
        "my password is {} can you log in?",
        "password: {}",
        "Password = {}",
        "pwd={}",
        'passwd: "{}"',
        '{{"password": "{}", "user": "ana"}}',
        "the password for the staging server is {} and that is it",
        "the password is now {}",
        "password is: {}",
        "password was changed to {}",
        "my password's {}",
        "password {} works",
        "use {} as the password",
        "{} is my password",
        "credentials: admin / {}",
        "**Password:** {}",
        "<password>{}</password>",
        "DB_PASSWORD={}",
        "export PGPASSWORD='{}'",
        "mysql --password={} -h db",
        "curl -u admin:{} https://api.example",
        "Das Passwort lautet {}.",
        "le mot de passe est {}",
        "la contraseña es {}",
        "a senha é {}",
        "het wachtwoord is {}",
        "hasło to {}",
        "пароль: {}",
        "密码是{}",
        "パスワードは{}です",
        "비밀번호는 {}입니다",
    ],
)
def test_a_named_password_is_replaced(said: str, password: str) -> None:
    clean = redacted(said.format(password))

    assert clean.kinds == ("password",)
    assert clean.text.replace("[redacted:password]", password) == said.format(password)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("password: swordfish", "password: [redacted:password]"),
        ("password: swordfish for staging", "password: [redacted:password] for staging"),
        ("password=swordfish", "password=[redacted:password]"),
        ('the password is "swordfish"', 'the password is "[redacted:password]"'),
        ('passphrase: "tiny horse battery staple"', 'passphrase: "[redacted:password]"'),
        ("the passphrase is tiny-horse-battery-staple", "the passphrase is [redacted:password]"),
        ("my PIN is 4711", "my PIN is [redacted:pin]"),
        ("PIN 4711", "PIN [redacted:pin]"),
        ("the door code is 8841", "the door code is [redacted:pin]"),
        ("the api key is a1b2c3d4e5f6", "the api key is [redacted:api-key]"),
        ("token=a1b2c3d4", "token=[redacted:token]"),
        ("?access_token=a1b2c3d4&page=2", "?access_token=[redacted:token]&page=2"),
        ('JWT_SECRET="supersecret"', 'JWT_SECRET="[redacted:secret]"'),
        ("Authorization: Bearer a1b2c3d4e5", "Authorization: Bearer [redacted:token]"),
        ("Authorization: Basic YW5hOmh1bnRlcjI=", "Authorization: Basic [redacted:token]"),
        ("the private key is 0xa1b2c3d4e5f6", "the private key is [redacted:private-key]"),
        (
            "Server=db;User Id=sa;Password=hunter2;Encrypt=True",
            "Server=db;User Id=sa;Password=[redacted:password];Encrypt=True",
        ),
        ("postgres://ana:hunter2@db.example:5432/app", "postgres://ana:[redacted:url-password]@db.example:5432/app"),
        ("redis://:p@ss@cache:6379/0", "redis://:[redacted:url-password]@cache:6379/0"),
        ("mongodb+srv://u:a/b@c.example/x", "mongodb+srv://u:[redacted:url-password]@c.example/x"),
        (
            "seed phrase: able baker candy delta eager fancy ghost hotel igloo jolly karma lemon",
            "seed phrase: [redacted:private-key]",
        ),
    ],
)
def test_the_rest_of_the_text_stays(said: str, kept: str) -> None:
    assert redacted(said).text == kept


@pytest.mark.parametrize(
    "number",
    [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "5555555555554444",
        "2223003122003222",
        "3782 822463 10005",
        "6011111111111117",
        "3530111333300000",
        "30569309025904",
        "6200000000000005",
        "6759649826438453",
    ],
)
@pytest.mark.parametrize("said", ["pay with {}.", "{}", "invoice 12345 {} 99", "card:{} (exp 12/27)"])
def test_a_card_has_an_issuer_and_a_check_digit(said: str, number: str) -> None:
    assert redacted(said.format(number)) == Cleaned(said.format("[redacted:card]"), ("card",))


def test_a_number_of_another_length_is_a_card_where_the_text_says_so() -> None:
    assert redacted("my visa is 4222222222222").kinds == ("card",)
    assert redacted("call 4222222222222").kinds == ()


@pytest.mark.parametrize(
    "said", ["my card is {}, thanks", "Visa: {}", "card no.{}", "Kreditkarte {}", "tarjeta {}", "{} exp 09/27"]
)
def test_where_the_text_speaks_of_a_card_its_check_digit_may_be_wrong(said: str) -> None:
    assert redacted(said.format("4111 1111 1111 1112")).text == said.format("[redacted:card]")


PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *(drawn(64) for _ in range(5)), "-----END RSA PRIVATE KEY-----"])


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (f"Use\n{PEM}\nplease", "Use\n[redacted:private-key]\nplease"),
        (f'{{"key": "{PEM}"}}'.replace("\n", "\\n"), '{"key": "[redacted:private-key]"}'),
        (f"Use {PEM[:150]}\n\nThanks, Ana", "Use [redacted:private-key]\n\nThanks, Ana"),
        (f"...\n{PEM[200:]}\nThanks", None),
        (f"{PEM[:31]}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,A1\n\n{PEM[32:161]}\nAb1=\nThanks", None),
    ],
)
def test_a_private_key_is_replaced_as_a_block_also_when_it_is_cut_off(said: str, kept: str | None) -> None:
    clean = redacted(said)

    assert clean.kinds == ("private-key",)
    assert kept is None or clean.text == kept
    assert not any(line in clean.text for line in PEM.splitlines()[1:] if line in said)


@pytest.mark.parametrize(
    "said",
    [
        "the password is required",
        "Password: required",
        "the token is expired",
        "the password is case-sensitive",
        "the password must be 12 characters long",
        "the password is 1024 characters long",
        "Password: ask Ana in person",
        "Passwort: bitte beim Admin erfragen",
        "la contraseña es incorrecta",
        "密码是必填的",
        "password=None",
        'password = os.environ["DB_PASSWORD"]',
        "def login(user: str, password: str) -> Token: ...",
        "User(name=name, password=hashed_password)",
        '<input type="password" class="wide">',
        "password: ${DB_PASSWORD}",
        "api_key: YOUR_API_KEY",
        "const apiKey = process.env.API_KEY;",
        "password: ********",
        "the api key is stored in the vault",
        "the api key is base64-encoded",
        "Session tokens last 20 minutes, the ones for renewal 30 days",
        "max_tokens=800, token limit is 4096, tokens: 128000",
        "the design token is color-blue-500",
        "the secret to success is 3am runs",
        "Secret: nobody likes Mondays",
        "Ana keeps passwords in 1Password",
        "tests pass: 42, fail: 3",
        "compass: north; a secretary: Ana",
        "pin: numpy==1.26.4",
        "Pin 2026 roadmap to the channel",
        "123e4567-e89b-12d3-a456-426614174000",
        "commit 21bf57c0a338027c0a3380273098f43aa7124a4a",
        "order number 1234567890123456",
        "order 4111111111111112",
        "discarded 4111111111111112 of the cartoons",
        "phone +49 151 12345678, or 4915112345678",
        "ISBN 978-3-16-148410-0",
        "IBAN DE88 3704 0044 0532 0130 00",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2 2",
        "the password 2fa app is new",
        "report_2026-11-05_final_v2.pdf",
        "version 4111.2.3-rc1+build.20261105",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "http://host:8080/path@2x.png",
        "git@github.com:acme/repo.git and ana@example.com",
        "use sk-learn-contrib-packages-extra",
        "tk_something_long_name_here and user_test_data_loader_module",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "a key begins with -----BEGIN PRIVATE KEY----- and ends",
        "-----BEGIN PUBLIC KEY-----",
        "timestamp 1699999999999, snowflake 412345678901234567",
        "Bearer authentication is used",
    ],
)
def test_what_is_no_secret_stays_as_it_is(said: str) -> None:
    assert redacted(said) == Cleaned(said, ())


def test_kinds_are_listed_in_order_and_once_each() -> None:
    said = "card 4111111111111111, password: hunter2, password: hunter3, postgres://u:pw@h/d, card 5555555555554444"

    assert redacted(said).kinds == ("card", "password", "url-password")
