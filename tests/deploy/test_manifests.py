"""What stands in deploy/ fits the server: its settings, paths, port and times. (Nothing is deployed here.)"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes with uvicorn's extras

from tests.docs.openapi_page import document
from truekeep.cli.output import USAGE
from truekeep.server.settings import ServerSettings

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
NGINX = ("nginx.conf", "nginx-compose.conf")
DEFAULTS = {name: field.default for name, field in ServerSettings.model_fields.items()}
EVENTS = 60  # seconds that a client may wait for one


def settings_in(environment: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: value for name, value in environment.items() if name.startswith("TRUEKEEP_")}
    return {name.removeprefix("TRUEKEEP_").lower(): value for name, value in named.items() if name != "TRUEKEEP_HOME"}


# --- systemd


@pytest.fixture(scope="module")
def unit() -> dict[str, list[str]]:
    """Each option with its values; sections do not matter here, since no two have the same option."""
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "truekeep.service").read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def test_the_unit_waits_for_an_orderly_end_and_keeps_its_store_where_it_may_write(unit: dict[str, list[str]]) -> None:
    settings = tomllib.loads((DEPLOY / "server.toml").read_text())

    [patience], [folder] = unit["TimeoutStopSec"], unit["StateDirectory"]
    assert int(patience) > DEFAULTS["shutdown_seconds"] + settings["drain_seconds"]
    assert unit["Environment"] == [f"TRUEKEEP_HOME=/var/lib/{folder}"]
    assert unit["KillMode"] == ["mixed"]
    assert unit["RestartPreventExitStatus"] == [str(USAGE)]
    assert unit["ProtectSystem"] == ["strict"]


def test_the_page_lets_the_user_of_the_unit_read_the_settings_and_nobody_the_key(unit: dict[str, list[str]]) -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text()

    assert unit["DynamicUser"] == ["yes"]
    assert "install -d -m 755 /etc/truekeep\n" in page
    assert "install -m 644 deploy/server.toml" in page
    assert re.search(r"\(umask 077; .* > (\S+)\)", page)[1] == unit["EnvironmentFile"][0]  # type: ignore[index]


def test_the_settings_beside_the_unit_are_settings_of_the_server() -> None:
    ServerSettings(**tomllib.loads((DEPLOY / "server.toml").read_text()))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    text = (DEPLOY / "truekeep.service").read_text()
    program = re.search(r"^ExecStart=(\S+)", text, re.MULTILINE)
    assert program is not None
    file = tmp_path / "truekeep.service"
    file.write_text(text.replace(program[1], "/bin/true"))

    told = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, text=True)

    assert str(file.name) not in told.stderr, told.stderr  # it may have something to say about other units


# --- nginx


def directives(name: str) -> Iterator[tuple[str, list[str]]]:
    """What a configuration says, by name; blocks count as one, and have to be closed."""
    text = re.sub(r"#.*", "", (DEPLOY / name).read_text())
    depth = 0
    for statement, end in re.findall(r"([^;{}]*)([;{}])", text):
        depth += {"{": 1, "}": -1}.get(end, 0)
        assert depth >= 0, "a block is closed that is not open"
        words = statement.split()
        assert bool(words) is (end != "}"), f"a semicolon is missing: {statement.strip()!r}"
        if words:
            yield words[0], words[1:]
    assert depth == 0, "a block is not closed"


@pytest.mark.parametrize("name", NGINX)
def test_nginx_passes_paths_on_as_they_came_and_waits_for_events(name: str) -> None:
    found = list(directives(name))

    said = {directive: given for directive, given in found}
    assert {tuple(given) for directive, given in found if directive == "proxy_pass"} == {("http://truekeep",)}
    assert int(said["proxy_read_timeout"][0].removesuffix("s")) > EVENTS
    assert int(said["client_max_body_size"][0].removesuffix("m")) << 20 >= DEFAULTS["import_bytes"]
    assert said["proxy_buffering"] == ["off"]
    assert ["X-Forwarded-For", "$remote_addr"] in [
        given for directive, given in found if directive == "proxy_set_header"
    ]
    assert "non_idempotent" not in said["proxy_next_upstream"]  # a write that was sent may have been done
    ports = [given[0].rpartition(":")[2] for directive, given in found if directive == "server" and given]
    assert set(ports) == {str(DEFAULTS["port"])}


def test_nginx_keeps_to_itself_only_paths_that_there_are() -> None:
    [kept] = [given[-1] for directive, given in directives("nginx.conf") if directive == "location" and len(given) > 1]

    names = kept.removeprefix("^/(").removesuffix(")$").split("|")
    assert {f"/{name}" for name in names} <= document()["paths"].keys()


# --- Kubernetes


@pytest.fixture(scope="module")
def manifests() -> dict[str, Any]:
    return {one["kind"]: one for one in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())}


@pytest.fixture(scope="module")
def pod(manifests: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = manifests["Deployment"]["spec"]["template"]["spec"]
    return found


def test_probes_ask_for_paths_that_there_are_on_the_port_that_is_served(pod: dict[str, Any]) -> None:
    [container] = pod["containers"]

    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startup": "/readyz",
        "readiness": "/readyz",
        "liveness": "/livez",
    }
    assert {"/livez", "/readyz"} <= document()["paths"].keys()
    assert container["ports"] == [{"name": "http", "containerPort": DEFAULTS["port"]}]
    assert {probe["port"] for probe in probes.values()} == {"http"}


def test_a_pod_has_settings_that_there_are_and_time_to_end(pod: dict[str, Any]) -> None:
    [container] = pod["containers"]

    given = settings_in({one["name"]: one.get("value") for one in container["env"]})
    assert given.keys() <= DEFAULTS.keys()
    ServerSettings(**{name: value for name, value in given.items() if value is not None})
    assert pod["enableServiceLinks"] is False  # what they say of the Service is no setting
    grace = pod["terminationGracePeriodSeconds"]
    assert grace > DEFAULTS["shutdown_seconds"] + float(given["drain_seconds"])
    assert float(given["drain_seconds"]) > 2 * container["readinessProbe"]["periodSeconds"]


def test_a_pod_runs_as_the_user_of_the_image_without_rights(pod: dict[str, Any]) -> None:
    [container] = pod["containers"]
    dockerfile = (ROOT / "Dockerfile").read_text()

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert f"--uid {pod['securityContext']['runAsUser']} " in dockerfile
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert {one["mountPath"] for one in container["volumeMounts"]} == {"/tmp", "/data"}  # what it writes
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}
    assert not container["image"].endswith(":latest")


def test_service_and_budget_mean_these_pods(manifests: dict[str, Any]) -> None:
    deployment = manifests["Deployment"]["spec"]

    labels = deployment["template"]["metadata"]["labels"]
    assert manifests["Service"]["spec"]["selector"] == labels
    assert manifests["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert deployment["selector"]["matchLabels"] == labels
    assert deployment["replicas"] > manifests["PodDisruptionBudget"]["spec"]["minAvailable"]


def test_the_page_makes_the_secret_that_the_pods_ask_for(pod: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text()

    [container] = pod["containers"]
    asked = {one["valueFrom"]["secretKeyRef"]["key"] for one in container["env"] if "valueFrom" in one}
    assert set(re.findall(r"--from-literal=([\w-]+)=", page)) == asked


# --- compose


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return found


def test_the_servers_of_compose_share_the_database_and_are_those_of_the_proxy(services: dict[str, Any]) -> None:
    servers = {name: one for name, one in services.items() if "build" in one}
    upstream = [given[0] for directive, given in directives("nginx-compose.conf") if directive == "server" and given]

    assert len(servers) == 2
    assert upstream == [f"{name}:{DEFAULTS['port']}" for name in servers]
    for server in servers.values():
        given = settings_in(server["environment"])
        assert given.keys() <= DEFAULTS.keys()
        assert "@postgres/" in given["at"]
        assert (DEPLOY / server["build"] / "Dockerfile").exists()
        assert server["depends_on"] == {"postgres": {"condition": "service_healthy"}}
        assert server["environment"]["FORWARDED_ALLOW_IPS"] == "*"
        assert "ports" not in server  # so that nobody but the proxy says who asks
        patience = int(server["stop_grace_period"].removesuffix("s"))
        assert patience > DEFAULTS["shutdown_seconds"] + given["drain_seconds"]


def test_the_proxy_of_compose_is_on_loopback_with_a_configuration_that_is_there(services: dict[str, Any]) -> None:
    [port], [mounted] = services["proxy"]["ports"], services["proxy"]["volumes"]

    assert port == f"127.0.0.1:{DEFAULTS['port']}:80"
    assert (DEPLOY / mounted.partition(":")[0]).exists()
    assert dict(directives("nginx-compose.conf"))["listen"] == ["80"]


def test_the_database_is_that_of_the_other_compose_file_and_the_proxy_has_a_version(services: dict[str, Any]) -> None:
    one_server = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]

    assert services["postgres"]["image"] == one_server["postgres"]["image"]
    assert re.fullmatch(r"nginx:\d+\.\d+", services["proxy"]["image"])


# --- the page


def test_the_page_names_every_file_and_only_files_that_there_are() -> None:
    page = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
    watching = (ROOT / "docs" / "how-to" / "run-a-server.md").read_text()

    named = set(re.findall(r"\bdeploy/([\w.-]+\.\w+)", page))
    here = {file.name for file in DEPLOY.iterdir()}
    assert named <= here
    assert [name for name in sorted(here - named) if name not in watching and name != "nginx-compose.conf"] == []
