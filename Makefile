# AgentEval: make run, make test, make check, make bench.
# Needs make and Python 3.11 or newer; everything else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Given on the command line or in the environment, these reach the server.
export AGENTEVAL_HOME HOST PORT DEMO

.PHONY: run test check format coverage bench lock openapi js clean

run: $(VENV)/.runtime
	@exec $(BIN)/python manage.py serve

# ARGS go to pytest: make test ARGS="-k tokens"
test: $(VENV)/.development
	@$(BIN)/python -m tests.suite $(ARGS)

check: $(VENV)/.development
	@$(BIN)/python -m tests.check

format: $(VENV)/.development
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

coverage: $(VENV)/.development
	@$(BIN)/coverage run -m pytest -q -m "not browser"
	@$(BIN)/coverage report

bench: $(VENV)/.development
	@$(BIN)/python -m tests.bench $(ARGS)

# Resolve requirements.lock anew from pyproject.toml.
lock:
	@made=$$(mktemp -d) && $(PYTHON) -m venv $$made && $$made/bin/pip install -q uv && \
	PATH=$$made/bin:$$PATH $(PYTHON) .ci/lock.py && rm -r $$made

# The API's description, after a change that is meant.
openapi: $(VENV)/.development
	@$(BIN)/python manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

# The drawing's scripts as one file; only needed after changing static/src/graph.
js:
	@cd static/src/graph && npm ci --silent && npm run build --silent

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@echo "Creating the environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("AgentEval needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.runtime: requirements.lock | $(VENV)/bin/python
	@$(BIN)/python .ci/install.py runtime
	@touch $@

$(VENV)/.development: requirements.lock | $(VENV)/bin/python
	@$(BIN)/python .ci/install.py development
	@touch $@ $(VENV)/.runtime
