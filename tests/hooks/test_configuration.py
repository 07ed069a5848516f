"""Hosts' own files: merged, never overwritten, and given back as they were."""

from __future__ import annotations

import json
import shlex
import stat
from pathlib import Path
from typing import Any

import pytest

from truekeep import InvalidInput
from truekeep.hooks.configuration import BACKUP, install, installed, uninstall
from truekeep.hooks.hosts import HOSTS, Host

from .desk import Desk

THEIRS: dict[str, dict[str, Any]] = {
    "claude-code": {
        "permissions": {"allow": ["Bash(ls)"]},
        "hooks": {
            "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "./greet.sh"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
        },
    },
    "codex": {"description": "ours", "hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "./save"}]}]}},
    "cursor": {"version": 1, "hooks": {"sessionStart": [{"command": "./greet.sh"}], "afterFileEdit": []}},
}
hosts = pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)


def put(host: Host, file: Path, program: str = "truekeep") -> bool:
    return install(host, file, lambda event: shlex.join([program, "hooks", "run", host.name, event]))


@hosts
def test_what_others_put_there_stays(host: Host, tmp_path: Path) -> None:
    file = tmp_path / host.file
    file.write_text(json.dumps(THEIRS[host.name]))

    put(host, file)

    now = json.loads(file.read_text())
    assert installed(host, file) == [*host.events]
    for name, value in THEIRS[host.name].items():
        assert name == "hooks" or now[name] == value
    for event, entries in THEIRS[host.name]["hooks"].items():
        assert now["hooks"][event][: len(entries)] == entries


@hosts
def test_twice_changes_nothing(host: Host, tmp_path: Path) -> None:
    file = tmp_path / host.folder / host.file

    first, text = put(host, file), file.read_bytes()
    second = put(host, file)

    assert (first, second) == (True, False)
    assert file.read_bytes() == text


@hosts
@pytest.mark.parametrize("printed", ['{{\n\t"a": 1,\n\t"hooks": {}\n}}', "{}", '{{ "hooks": {} }}\n\n'])
def test_uninstalling_gives_back_every_byte(host: Host, tmp_path: Path, printed: str) -> None:
    file = tmp_path / host.file
    before = printed.format(json.dumps(THEIRS[host.name]["hooks"])).encode()
    file.write_bytes(before)

    put(host, file)
    put(host, file, program="/elsewhere/truekeep")
    uninstall(host, file)

    assert file.read_bytes() == before
    assert [*tmp_path.iterdir()] == [file]


@hosts
def test_what_was_there_but_empty_is_given_back(host: Host, tmp_path: Path) -> None:
    file = tmp_path / host.file
    event = next(iter(host.events))
    empty: list[dict[str, Any]] = [{}, {event: []}, {event: [], "Other": []}]
    for hooks in empty:
        before = json.dumps({**host.frame, "hooks": hooks})
        file.write_text(before)

        put(host, file)
        uninstall(host, file)

        assert file.read_text() == before
        assert [*tmp_path.iterdir()] == [file]


@hosts
def test_a_file_that_we_made_is_gone_again(host: Host, tmp_path: Path) -> None:
    file = tmp_path / host.file

    put(host, file)
    gone, again = uninstall(host, file), uninstall(host, file)

    assert (gone, again) == (True, False)
    assert [*tmp_path.iterdir()] == []


@hosts
def test_what_was_changed_since_is_kept_when_ours_go(host: Host, tmp_path: Path) -> None:
    file = tmp_path / host.file
    file.write_text(json.dumps(THEIRS[host.name]))
    put(host, file)
    file.write_text(json.dumps({**json.loads(file.read_text()), "later": True}))

    uninstall(host, file)

    assert json.loads(file.read_text()) == {**THEIRS[host.name], "later": True}
    assert json.loads(file.with_name(file.name + BACKUP).read_text()) == THEIRS[host.name]


def test_a_command_of_ours_that_somebody_put_beside_another_goes_alone(tmp_path: Path) -> None:
    host, file = HOSTS["claude-code"], tmp_path / "settings.json"
    put(host, file)
    given = json.loads(file.read_text())
    given["hooks"]["SessionEnd"][0]["hooks"].append({"type": "command", "command": "say bye"})
    file.write_text(json.dumps(given))

    uninstall(host, file)

    assert json.loads(file.read_text()) == {
        "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "say bye"}]}]}
    }


@hosts
@pytest.mark.parametrize(
    "text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "// a comment\n{}", "\ufeff{}"]
)
def test_a_file_that_cannot_be_understood_is_left_alone(host: Host, tmp_path: Path, text: str) -> None:
    file = tmp_path / host.file
    file.write_text(text)

    with pytest.raises(InvalidInput, match="nothing was changed"):
        put(host, file)

    assert file.read_text() == text
    assert [*tmp_path.iterdir()] == [file]


@hosts
def test_links_and_modes_stay_as_they_are(host: Host, tmp_path: Path) -> None:
    real, file = tmp_path / "dotfiles.json", tmp_path / host.file
    real.write_text("{}")
    real.chmod(0o600)
    file.symlink_to(real)

    put(host, file)

    assert file.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert installed(host, real) == [*host.events]


@hosts
def test_what_only_its_owner_could_read_nobody_else_can_read_in_the_backup(host: Host, tmp_path: Path) -> None:
    file = tmp_path / host.file
    file.write_text('{"env": {"TOKEN": "s3cret"}}')
    file.chmod(0o600)

    put(host, file)
    backup = file.with_name(file.name + BACKUP)
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (file, backup)]
    uninstall(host, file)

    assert [*modes, stat.S_IMODE(file.stat().st_mode)] == [0o600] * 3


def test_a_draft_is_never_open_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host, file = HOSTS["claude-code"], tmp_path / "settings.json"
    file.write_text("{}")
    file.chmod(0o600)
    modes: list[int] = []
    chmod = Path.chmod

    def noting(draft: Path, mode: int) -> None:
        modes.append(stat.S_IMODE(draft.stat().st_mode))
        chmod(draft, mode)

    monkeypatch.setattr(Path, "chmod", noting)
    put(host, file)

    assert modes == [0o600, 0o600]


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b'{"hooks": []}'])
def test_status_tells_of_a_file_that_cannot_be_understood_and_of_all_others(text: bytes, desk: Desk) -> None:
    desk.command("install", "codex")
    (desk.folder / ".claude").mkdir()
    (desk.folder / ".claude" / "settings.json").write_bytes(text)

    rows = {(row["host"], row["for"]): row for row in desk.command("status")["hosts"]}

    assert [name for name, row in rows.items() if row["problem"]] == [("claude-code", "user")]
    assert rows["codex", "user"]["events"] == [*HOSTS["codex"].events]
