"""The dashboard and the alerts ask for what a server tells, by the names and labels that it really has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # comes with uvicorn's extras
from prometheus_client.parser import text_string_to_metric_families

from tests.server.served import OPERATOR, at, serving

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
OF_THE_SCRAPE = {"instance", "job"}  # labels that Prometheus adds
NAME = re.compile(r"\btruekeep_[a-z_]+\b(?:\{([^}]*)\})?")
GROUPED = re.compile(r"\bby \(([^)]*)\)")


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    return found


def rules() -> list[dict[str, Any]]:
    [group] = yaml.safe_load((DEPLOY / "prometheus-alerts.yaml").read_text())["groups"]
    return list(group["rules"])


def asked() -> Iterator[Any]:
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield pytest.param(target["expr"], id=f"panel {panel['title']} {target['refId']}")
    for rule in rules():
        yield pytest.param(rule["expr"], id=f"alert {rule['alert']}")


class Lending:
    """A store with a pool, as on a database; of a store, nothing else is asked."""

    is_away = False

    def pool(self) -> Mapping[str, int]:
        return {"used": 1, "idle": 0, "waiting": 0}

    def give_up(self) -> None: ...


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Names of samples with their labels, from a server that was asked a little."""
    with serving(tmp_path_factory.mktemp("told"), admin_key=OPERATOR) as served, served.caller() as operator:
        operator.get(at("bot", "memories", "missing"))
        desk = served.app.state.desk
        desk.metrics.look(replace(desk.opened.parts, store=Lending()))
        text = operator.get("/metrics").text
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    found: dict[str, set[str]] = {}
    for sample in samples:
        found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.mark.parametrize("expression", list(asked()))
def test_every_name_and_label_is_one_that_a_server_tells(told: dict[str, set[str]], expression: str) -> None:
    names = list(NAME.finditer(expression))
    known = set[str]().union(*(told.get(match[0].partition("{")[0], set()) for match in names), OF_THE_SCRAPE)

    assert [match[0] for match in names if match[0].partition("{")[0] not in told] == []
    selected = [part.partition("=")[0].rstrip("!~ ") for match in names if match[1] for part in match[1].split(",")]
    grouped = [label.strip() for match in GROUPED.finditer(expression) for label in match[1].split(",")]
    assert {*selected, *grouped} <= known
    assert names or expression.startswith("up{")


def test_every_family_is_shown(told: dict[str, set[str]]) -> None:
    shown = " ".join(target["expr"] for panel in dashboard()["panels"] for target in panel["targets"])

    families = {re.sub(r"_(total|bucket|count|sum|created)$", "", name) for name in told}
    assert [family for family in sorted(families) if family not in shown] == []


def test_every_alert_says_what_is_wrong_and_how_bad_it_is() -> None:
    found = rules()

    assert len({rule["alert"] for rule in found}) == len(found)
    for rule in found:
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert rule["annotations"]["summary"]


def test_the_panels_of_the_dashboard_do_not_cover_each_other() -> None:
    places = [tuple(panel["gridPos"][side] for side in "xy") for panel in dashboard()["panels"]]

    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in dashboard()["panels"]}) == len(places)
