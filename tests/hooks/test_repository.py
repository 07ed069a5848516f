"""One space for a repository, wherever one stands in it."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest

from truekeep.engine import admit
from truekeep.hooks.repository import USER, space_of, user_space


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


def made(folder: Path, remote: str | None = None) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    if remote is not None:
        git(folder, "remote", "add", "origin", remote)
    return folder


@pytest.mark.parametrize(
    "remote",
    [
        "https://git.example/acme/shop.git",
        "https://ana:secret@git.example/acme/shop",
        "https://ana:s@cr@t@git.example/acme/shop",
        "https://:secret@git.example/acme/shop",
        "git@git.example:Acme/Shop.git",
        "ssh://git@git.example:2222/acme/shop.git/",
        "git://git.example/acme/shop",
    ],
)
def test_all_spellings_of_a_remote_are_one_space(remote: str, tmp_path: Path) -> None:
    assert space_of(made(tmp_path / "clone", remote)) == "repo:git.example/acme/shop"


@pytest.mark.parametrize("at", [None, "", "/srv/notes.db", "sqlite:///notes.db", ":memory:"])
def test_in_a_file_of_ones_own_one_is_the_user(at: str | None) -> None:
    assert user_space(at) == USER


@pytest.mark.parametrize(
    "at", ["https://memory.example", "http://127.0.0.1:8420", "postgresql:///team", "postgres://a"]
)
def test_where_others_are_one_has_a_name(at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "a\nna" + "x" * 300)

    space = user_space(at)

    assert space.startswith("user:anaxxx")
    assert admit.name(space, "space", admit.Limits()) == space


def test_who_has_no_name_is_not_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", nameless)

    assert user_space("https://memory.example") == f"user:{platform.node()}"


def test_folders_below_and_worktrees_share_the_space(tmp_path: Path) -> None:
    root = made(tmp_path / "shop")
    git(root, "commit", "--allow-empty", "-m", "begin")
    git(root, "worktree", "add", str(tmp_path / "elsewhere"))
    (root / "src").mkdir()

    spaces = {space_of(folder) for folder in (root, root / "src", tmp_path / "elsewhere")}

    assert len(spaces) == 1
    assert spaces.pop().startswith("repo:shop@")


def test_repositories_of_one_name_are_told_apart(tmp_path: Path) -> None:
    spaces = {space_of(made(tmp_path / name / "shop")) for name in ("a", "b")}

    assert len(spaces) == 2


@pytest.mark.parametrize("remote", ["/srv/bare.git", "../bare.git", "file:///srv/bare.git", r"C:\\bare"])
def test_another_folder_of_this_machine_is_no_remote(remote: str, tmp_path: Path) -> None:
    clone = made(tmp_path / "clone", remote)

    assert space_of(clone).startswith("repo:clone@")


def test_a_folder_without_a_repository_has_a_space_of_its_own(tmp_path: Path) -> None:
    assert space_of(tmp_path).startswith(f"repo:{tmp_path.name}@")


@pytest.mark.parametrize("text", [b"\xff\xfe", b"gitdir: \xff\n", b"gitdir: a\0b", b"", b"gitdir: nowhere"])
def test_a_pointer_that_is_damaged_is_as_good_as_none(text: bytes, tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(text)

    assert space_of(tmp_path).startswith("repo:")


def test_a_pointer_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (tmp_path / ".git").write_text("gitdir: elsewhere")
    monkeypatch.setattr(Path, "read_bytes", refuse)  # root may read everything

    assert space_of(tmp_path).startswith(f"repo:{tmp_path.name}@")


def test_a_configuration_that_is_damaged_is_as_good_as_none(tmp_path: Path) -> None:
    root = made(tmp_path / "shop")
    (root / ".git" / "config").write_bytes(b"[remote \xff\n= ]")

    assert space_of(root).startswith("repo:shop@")
