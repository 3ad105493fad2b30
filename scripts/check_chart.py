"""Lints the Helm chart, renders it and validates every object against the Kubernetes schemas: `make check`.

Helm's own engine does the first two (its library, from the wheel helm-python-sdk), kubernetes-validate the third,
strictly. The output for each set of values is compared with a snapshot; `--write` updates it.
"""

import sys
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import yaml

CHART = Path(__file__).parents[1] / "deploy" / "helm" / "masis"
SNAPSHOTS = CHART.parent / "rendered"
OLDEST, NEWEST = "1.27.0", "1.34.0"
VALUES: dict[str, dict[str, Any]] = {
    "default": {},
    "all": {
        "postgres": {"enabled": True, "storageClass": "fast"},
        "qdrant": {"storageClass": "fast"},
        "ingress": {"enabled": True, "className": "nginx", "tlsSecret": "masis-tls"},
        "metrics": {"enabled": True},
        "worker": {"autoscaling": {"enabled": True}},
        "networkPolicy": {"allowInternet": False, "apiFrom": [{"namespaceSelector": {}}]},
        "imagePullSecrets": [{"name": "registry"}],
    },
    "external": {
        "metrics": {"enabled": True},
        "qdrant": {"enabled": False},
        "qdrantUrl": "https://qdrant.internal:6333",
        "image": {"tag": "1.2.3"},
    },
}


def main() -> None:
    problems = [problem for name, values in VALUES.items() for problem in _problems(name, values)]
    for problem in problems:
        print(problem, file=sys.stderr)
    raise SystemExit(1 if problems else 0)


def _problems(name: str, values: dict[str, Any]) -> list[str]:
    report = helm_python.lint(CHART, values, strict=True, kube_version=f"v{OLDEST}")
    found = [f"{name}: helm lint: {each['error']}" for each in report["messages"] if each["severity"] > 1]
    chart = helm_python.Chart.load(CHART)
    rendered = chart.render(values, name="masis", namespace="masis")
    text = "\n".join(f"---\n{rendered[file].strip()}" for file in sorted(rendered) if file.endswith(".yaml"))
    chart.close()
    for made in filter(None, yaml.safe_load_all(text)):
        for version in (OLDEST, NEWEST):
            try:
                kubernetes_validate.validate(made, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                found.append(f"{name}: {made['kind']} {made['metadata']['name']} ({version}): {error.message}")
    return found + _difference(name, f"{text.strip()}\n")


def _difference(name: str, text: str) -> list[str]:
    snapshot = SNAPSHOTS / f"{name}.yaml"
    if "--write" in sys.argv:
        snapshot.parent.mkdir(exist_ok=True)
        snapshot.write_text(text, encoding="utf-8")
    same = snapshot.exists() and snapshot.read_text(encoding="utf-8") == text
    return (
        [] if same else [f"{name}: differs from {snapshot.name}; update it with python -m scripts.check_chart --write"]
    )


if __name__ == "__main__":
    main()
