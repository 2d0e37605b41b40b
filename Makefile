# Everything a person or a machine does with this checkout. `make` alone lists it.
#
# Needs git, make, Python >= 3.11 with venv, and a Python package index. Another interpreter: make PYTHON=python3.12 ...

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv
STAMP  := $(VENV)/.installed
# Any extra words for pytest: make fast ARGS="-k renames"
ARGS   ?=
WORKERS ?= auto
# Another cluster than the test cluster, and values for the chart: make install KUBECONFIG_FILE=... VALUES=...
INSTALL = $(if $(KUBECONFIG_FILE),--kubeconfig $(KUBECONFIG_FILE)) $(if $(VALUES),--values $(VALUES))

.DEFAULT_GOAL := help
.PHONY: help venv js-runners install uninstall helm images lock test lint format types layers generate generated fast unit coverage cluster cluster-image cluster-down smoke e2e chaos demo bench consumers clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(STAMP) ## the locked environment in .venv, nothing to do when it stands

# The stamp carries the lock's age: only a changed lock, project file or recipe installs again.
$(STAMP): requirements/dev.lock requirements/bootstrap.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; say make PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.lock
	@$(UV) pip sync --quiet --require-hashes requirements/dev.lock
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

lock: $(STAMP) ## resolve pyproject.toml's ranges anew into requirements/*.lock
	$(BIN)/python -m hack.lock

test: venv lint types layers generated unit smoke ## everything CI asks: lint, types, layers, generated files, all tests, a cluster where there is one

lint: venv ## ruff, check and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: venv ## let ruff repair what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: venv ## mypy --strict
	$(BIN)/mypy

layers: venv ## which room may import which (import-linter)
	$(BIN)/lint-imports --no-cache

generate: venv ## write the files that are made from the code
	$(BIN)/python -m hack.generate

generated: venv ## fail when a generated file differs from what the code gives
	$(BIN)/python -m hack.generate --check

unit: venv ## all tests in parallel
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not bench and not cluster and not consumers" $(ARGS)

# Measuring costs two thirds of the processor time again, so it is asked for.
coverage: venv ## the same, and what of the code they reach
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report=term -m "not bench and not cluster and not consumers" $(ARGS)

fast: venv ## the tests that need no index and no container engine, without coverage
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "not network and not docker and not bench and not cluster and not consumers" $(ARGS)

# Exact versions, without the scripts of any package; half a minute and 90 MB, once.
js-runners: .js-runners/.installed ## jest, vitest and mocha, which the tests of their readers need (network, npm)

.js-runners/.installed: tests/checks/conformance/package.json
	@mkdir -p .js-runners && cp $< .js-runners/package.json
	@npm install --prefix .js-runners --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error
	@touch $@

cluster: venv ## a real Kubernetes cluster with registry, git server, package index (docs/cluster-tests.md)
	@$(BIN)/python -m hack.kind up

cluster-image: venv ## only build what the cluster is made of; up to half an hour the first time
	@$(BIN)/python -m hack.kind image

cluster-down: venv ## remove the cluster and all that it changed on this machine
	@$(BIN)/python -m hack.kind down

# BASE=docker.io/library/python:3.12-slim stands the images on one that is pulled; REGISTRY=registry.example.com/team pushes there.
images: venv ## the container images, pushed to the test cluster's registry or to REGISTRY (docs/images.md)
	@$(BIN)/python -m hack.images --base "$(BASE)" --registry "$(REGISTRY)"

install: venv ## the product on the test cluster, or on KUBECONFIG_FILE=... with VALUES=... (docs/install.md)
	@$(BIN)/python -m hack.install up $(INSTALL)

uninstall: venv ## remove it; definitions and what people made with them stay
	@$(BIN)/python -m hack.install down $(INSTALL)

helm: venv ## the Helm that installs; built, in minutes, where none is installed
	@$(BIN)/python -m hack.install helm

smoke: venv ## the shortest way on a real cluster; skipped, loudly, where none was ever built (make cluster), but not in CI
	$(BIN)/python -m pytest tests/cluster -n 0 -q -m smoke $(ARGS)

e2e: helm ## the tests on a real cluster; it is started if need be
	$(BIN)/python -m pytest tests/cluster tests/charts -n 0 --require-cluster -m cluster $(ARGS)

chaos: helm ## the demo on the cluster with the operator killed every few seconds; its last result stands in docs/benchmarks.md
	C2T_KILLS=40 $(BIN)/python -m pytest tests/cluster/test_demo.py -n 0 --require-cluster -m cluster $(ARGS)

demo: venv ## the whole way on real code: history, run, an accepted task, graded
	$(BIN)/python -m hack.demo

bench: venv ## measure what docs/benchmarks.md states
	$(BIN)/python -m pytest tests/bench -n 0 --no-cov -m bench $(ARGS)

consumers: venv ## exports read by harbor, swebench and verifiers from their own wheels; C2T_STORE=... for another store (docs/exports.md)
	$(BIN)/python -m pytest tests/consumers tests/runtime/test_lowered.py -n 0 --no-cov -m consumers $(ARGS)

clean: ## remove what make made (the demo's downloads too)
	rm -rf $(VENV) .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.* dist
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
