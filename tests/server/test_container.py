"""Dockerfile and compose.yaml name things that exist. (No container is run here.)"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes with uvicorn's extras
from typer.testing import CliRunner

from tools.hashes import PYTHON
from truekeep.cli.program import app
from truekeep.server.settings import ServerSettings

from .served import serving

ROOT = Path(__file__).parent.parent.parent
PORT = ServerSettings.model_fields["port"].default


def instructions() -> list[tuple[str, str]]:
    """Each instruction of the Dockerfile with its arguments, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def argument(name: str) -> str:
    [found] = [rest for word, rest in instructions() if word == name]
    return found


@pytest.fixture(scope="module")
def composed() -> Mapping[str, Any]:
    composed: Mapping[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return composed


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    copied = [name for word, rest in instructions() if word == "COPY" for name in rest.split()[:-1]]
    kept = [
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    ]

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert sorted(copied) == sorted(kept)


def test_the_image_holds_every_file_that_its_build_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    copied = [name for word, rest in instructions() if word == "COPY" for name in rest.split()[:-1]]

    needed = ["pyproject.toml", project["readme"], *project["license-files"]]
    assert [name for name in needed if name.partition("/")[0] not in copied] == []


def test_the_image_installs_nothing_whose_hash_it_does_not_know() -> None:
    installs = [rest for word, rest in instructions() if word == "RUN" and "pip install" in rest]

    assert [("--require-hashes" in one, "--no-deps --no-build-isolation ." in one) for one in installs] == [
        (True, False),
        (False, True),
    ]


def test_the_image_does_not_run_as_root_and_keeps_its_store_in_the_volume() -> None:
    assert argument("USER") not in ("root", "0")
    assert f"TRUEKEEP_HOME={argument('VOLUME')}" in argument("ENV")
    assert argument("EXPOSE") == str(PORT)


def test_the_command_of_the_image_is_understood() -> None:
    program, command = json.loads(argument("ENTRYPOINT")), json.loads(argument("CMD"))

    shown = CliRunner().invoke(app, [*command, "--print-settings", "--json"], env={"TRUEKEEP_TEST_STORE": None})

    assert program == ["truekeep"]
    assert shown.exit_code == 0, shown.output
    settings = json.loads(shown.stdout)
    assert (settings["host"], settings["port"]) == ("0.0.0.0", PORT)


def test_what_kubernetes_says_of_a_service_is_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT_8420_TCP", "WEB_PORT_8420_TCP_ADDR"):
        monkeypatch.setenv(f"TRUEKEEP_{name}", "10.0.0.1")

    shown = CliRunner().invoke(app, ["serve", "--print-settings"], env={"TRUEKEEP_TEST_STORE": None})

    assert shown.exit_code == 0, shown.output


def test_the_health_check_of_the_image_tells_a_server_from_none(tmp_path: Path) -> None:
    _, _, command = argument("HEALTHCHECK").partition("CMD ")
    python, option, code = json.loads(command)
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}

    def check(port: int) -> int:
        asked = code.replace(str(PORT), str(port))
        return subprocess.run([sys.executable, option, asked], env=environment, capture_output=True).returncode

    with serving(tmp_path, admin_key="tk_the-operator-of-the-container") as served:
        alive = check(served.port)
    assert python == "python"
    assert alive == 0
    assert check(served.port) != 0


def test_images_are_named_by_digest_and_the_python_is_the_one_whose_files_were_hashed(
    composed: Mapping[str, Any],
) -> None:
    [base] = [rest.removeprefix("PYTHON=") for word, rest in instructions() if word == "ARG"]

    assert all(
        re.search(r"@sha256:[0-9a-f]{64}$", image) for image in (base, composed["services"]["postgres"]["image"])
    )
    assert base.startswith(f"python:{PYTHON}.")
    assert argument("FROM") == "${PYTHON}"


def test_compose_sets_settings_that_exist_and_asks_for_a_key(composed: Mapping[str, Any]) -> None:
    server = composed["services"]["truekeep"]

    names = [name.removeprefix("TRUEKEEP_").lower() for name in server["environment"]]
    assert [name for name in names if name not in ServerSettings.model_fields] == []
    assert server["environment"]["TRUEKEEP_ADMIN_KEY"].startswith("${TRUEKEEP_ADMIN_KEY:?")


def test_compose_reaches_the_port_the_volume_and_the_dockerfile(composed: Mapping[str, Any]) -> None:
    server = composed["services"]["truekeep"]

    [published], [mounted] = server["ports"], server["volumes"]
    assert published == f"127.0.0.1:{PORT}:{PORT}"
    assert mounted.partition(":")[2] == argument("VOLUME")
    assert (ROOT / server["build"] / "Dockerfile").exists()


def test_compose_keeps_memories_in_its_volume_or_in_the_postgres_beside_it(composed: Mapping[str, Any]) -> None:
    server, database = composed["services"]["truekeep"], composed["services"]["postgres"]

    told = re.search(r"TRUEKEEP_AT=(\S+) ", (ROOT / "compose.yaml").read_text())
    default = re.fullmatch(r"\$\{TRUEKEEP_AT:-(.+)\}", server["environment"]["TRUEKEEP_AT"])

    assert default is not None
    assert default[1] == f"{argument('VOLUME')}/truekeep.db"  # where it would lie without the setting
    assert told is not None
    assert [told[1]] == [
        f"postgresql://{names['POSTGRES_USER']}:{password}@postgres/{names['POSTGRES_DB']}"
        for names in [database["environment"]]
        for password in [names["POSTGRES_PASSWORD"].removeprefix("${POSTGRES_PASSWORD:-").removesuffix("}")]
    ]


def test_compose_declares_the_volumes_that_it_uses_and_waits_for_an_orderly_end(composed: Mapping[str, Any]) -> None:
    services = composed["services"]

    used = {volume.partition(":")[0] for service in services.values() for volume in service["volumes"]}
    assert used == composed["volumes"].keys()
    patience = int(services["truekeep"]["stop_grace_period"].removesuffix("s"))
    assert patience > ServerSettings.model_fields["shutdown_seconds"].default
