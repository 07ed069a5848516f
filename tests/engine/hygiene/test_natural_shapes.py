"""Secrets as people paste them without thinking, and what looks like a secret and is none."""

from __future__ import annotations

import base64

import pytest

from truekeep.engine.hygiene import redacted

AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKa"
GITHUB = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
BASIC = base64.b64encode(b"bob:hunter2hunter2").decode()
HASH = "QqM3tQ0m2b8E0zqY7n5xK1"

SECRETS = {  # a text, and what must not stay of it
    f"AKIAIOSFODNN7ABCDEFG\n{AWS_SECRET}": AWS_SECRET,
    f"id AKIAIOSFODNN7ABCDEFG\nsecret {AWS_SECRET}": AWS_SECRET,
    "4111 1111\n1111 1111": "1111",
    "4111\t1111\t1111\t1111": "1111",
    "4111  1111  1111  1111": "1111",
    "4111,1111,1111,1111": "1111",
    "Card no: 5555, 5555, 5555, 4444": "5555",
    "visa:4111111111111111exp 12/29": "4111111111111111",
    "my visa 4111111111111111cvv 123": "4111111111111111",
    "| user | password |\n| --- | --- |\n| bob | hunter2 |\n| ana | tiger99 |": "tiger99",
    "| user | password |\n| bob | hunter2 |": "hunter2",
    "|Service|API key|\n|---|---|\n|maps|q8Zk2LmN4vX9|": "q8Zk2LmN4vX9",
    "password: |\n  hunter2": "hunter2",
    "db:\n  password: >-\n    hunter2": "hunter2",
    "The password used to be hunter2 and now it is hunter3x": "hunter3x",
    "The password was hunter2, now it's tiger99!": "tiger99",
    'the password is "correct horse"': "correct horse",
    "my password is 'Blue Otter'": "Blue Otter",
    f"Basic {BASIC}": BASIC,
    f"curl -H 'Authorization: Basic {BASIC}'": BASIC,
    "sshpass -p hunter2 ssh bob@host": "hunter2",
    "sshpass -phunter2 ssh bob@host": "hunter2",
    "db.example:5432:*:bob:hunter2": "hunter2",
    "*:5432:app:bob:S3cr3tP4ss": "S3cr3tP4ss",
    f"bob:$apr1$abcdefgh${HASH}": HASH,
    f"root:$6$saltsalt${HASH * 3}:19000:0": HASH,
    f"hash $2b$12$abcdefghijklmnopqrstuv{HASH}": HASH,
    f"$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ${HASH}{HASH}": HASH,
    "MTA1NzY5ODc2MDk4NzY1NDMyMQ.GabcDE.abcdefghijklmnopqrstuvwxyz0123456789AB": "abcdefghijklmnop",
    f'{{"auths":{{"registry.example":{{"auth":"{BASIC}"}}}}}}': BASIC,
    # The same in letters that look alike, or with what nobody sees between them.
    f"token {GITHUB[:10]}\u200b{GITHUB[10:]}": GITHUB[12:],
    "gh\u00adp_" + GITHUB[4:]: GITHUB[4:],
    "\uff47\uff48\uff50\uff3f" + GITHUB[4:]: GITHUB[4:],
    "pass\u200bword: hunter2": "hunter2",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44: hunter2": "hunter2",
    "4111\u200b1111\u200b1111\u200b1111": "1111",
    "\uff14" + "\uff11" * 15: "\uff11\uff11\uff11",
    "the password is hun\u2060ter2x": "ter2x",
}
PLAIN = [  # each looks like a secret to somebody in a hurry
    "The S3 bucket is acme-prod-logs-eu1-4k2j9x",
    "Deploy to acme-test-cluster-eu-west-1a7",
    "The host is web-prod-frontend-7d9f8b6c5-x2k4q",
    "Pod billing-prod-api-6f7c9d8b5d-zx8kq restarted",
    "Namespace team_prod_billing_v2_eu1",
    "Fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "commit 9b7c0d5 broke it, 29149e2 mended it",
    "Order 2024-11-0049231 has shipped",
    "Invoice INV-2024-00981 is paid",
    "ISBN 978-3-16-148410-0",
    "The ticket is 4f3b2a1c-9d8e-4c7b-a6f5-1e2d3c4b5a69",
    "request id 01a1e293-8cf4-73e4-a079-ec2e11e0e354 failed",
    "We run v1.29.3-rc.1+build.5114f85",
    "image: registry.example/app@sha256:6681992d43e581b35b3dd61f3c81ee0f891fbf13ad54f8b692ea868bd46b066b",
    "The checksum is d41d8cd98f00b204e9800998ecf8427e",
    "See report_2024Q3_final_v2.pdf",
    "The file is IMG_20240611_183245.jpg",
    "Basic understanding of Kubernetes is required",
    "Basic authentication is switched off",
    "The word aGVsbG8gd29ybGQ= is base64 for hello world",
    "The password is \"case sensitive\"",
    "The password is stored in the vault and now it is rotated weekly",
    "The password used to be required and now it is optional",
    "| user | password |\n| --- | --- |\n| bob | required |",
    "| step | pass |\n| --- | --- |\n| lint | yes |",
    "| key | value |\n| --- | --- |\n| region | eu-west-1 |",
    "password: |\n",
    "The years were 2019, 2020, 2021, 2022",
    "1024, 2048, 4096, 8192",
    "Totals\t4021\t1998\t2004\t2011\t2017",
    "4021\n1998\n2004\n2011",
    "10:20:30:40:50",
    "The MAC is 00:1b:44:11:3a:b7",
    "fe80::1ff:fe23:4567:890a",
    "ratio 16:9:4:3:2",
    "It costs $6$ or $5$ each",
    "auth: required",
    '{"auth": "oauth2"}',
    'auth = "session-based"',
    "sshpass -p is dangerous, sshpass -e is not",
    "The flight is LH2026, seat 14C, code share UA9112",
    "Call +49 30 901820 or 030 901820",
    "Model Qwen2.5-72B-Instruct-GPTQ-Int4",
    "Use gpt-4o-mini-2024-07-18 for it",
    "The tracking number is 1Z999AA10123456784",
    "Serial C02XK1ZKJGH5",
    "Room 12B, desk 4A7, phone ext 4471",
    "AKIA is the prefix of keys; ask for 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "M12345678901234567890123.abc.def",
    "The colour is #A1B2C3 and the theme is x86_64",
    "Python 3.11.9, SQLite 3.51.3, apsw 3.51.3.0",
    "\u5bc6\u7801\uff1a\u9700\u8981\uff0c\u8bf7\u8054\u7cfb\u7ba1\u7406\u5458",
]  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), SECRETS.items())
def test_a_secret_in_a_natural_shape_is_found(text: str, secret: str) -> None:
    clean = redacted(text)

    assert secret not in clean.text
    assert "[redacted:" in clean.text
    assert clean.kinds


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redacted(text) == (text, ())


def test_what_stands_around_a_disguised_secret_stays_as_it_was() -> None:
    text = f"\uff28\uff49 \u200bAna, token {GITHUB[:10]}\u200b{GITHUB[10:]}\u200b, \uff42\uff59\uff45"

    assert redacted(text).text == "\uff28\uff49 \u200bAna, token [redacted:token]\u200b, \uff42\uff59\uff45"
