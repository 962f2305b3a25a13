# AgentEval: make run, make test, make check, make bench.
# Needs make and Python 3.11 or newer; everything else goes into .venv.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

export AGENTEVAL_HOME HOST PORT DEMO

.PHONY: run test check format bench lock js clean

run: $(VENV)/.runtime
	@exec $(BIN)/python manage.py serve

test: $(VENV)/.development
	@$(BIN)/python -m pytest -n 2 -m "not browser"
	@$(BIN)/python -m pytest -m browser
	@if [ -n "$$TEST_DATABASE_URL" ]; then DATABASE_URL="$$TEST_DATABASE_URL" $(BIN)/python -m pytest -n 2 -m "not browser" tests/traces tests/judging tests/storage tests/web; fi

check: $(VENV)/.development
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy agenteval_web traces judging annotation
	@$(BIN)/lint-imports
	@$(BIN)/djlint --check --quiet templates
	@$(BIN)/python manage.py makemigrations --check --dry-run
	@AGENTEVAL_HTTPS=1 SECRET_KEY="$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))')" ALLOWED_HOSTS=example.org $(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/.development
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.development
	@$(BIN)/python -m tests.bench

# Pins with hashes: first what the product needs, then what its development needs.
lock:
	@uvx_tmp=$$(mktemp -d) && $(PYTHON) -m venv $$uvx_tmp && $$uvx_tmp/bin/pip -q install uv && PATH=$$uvx_tmp/bin:$$PATH $(PYTHON) .ci/lock.py && rm -r $$uvx_tmp

# The drawing's scripts as one file; only needed after changing static/src/graph.
js:
	@cd static/src/graph && npm ci --silent && npm run build --silent

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@echo "Creating the environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "AgentEval needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.lock | $(VENV)/bin/python
	@sed '/^# --- development ---$$/,$$d' requirements.lock > $(VENV)/runtime.txt
	@echo "Installing $$(grep -c '==' $(VENV)/runtime.txt) packages (once)"
	@$(PIP) install --quiet --require-hashes --no-deps --only-binary :all: -r $(VENV)/runtime.txt
	@touch $@

$(VENV)/.development: requirements.lock | $(VENV)/bin/python
	@echo "Installing $$(grep -c '==' requirements.lock) packages (once)"
	@$(PIP) install --quiet --require-hashes --no-deps -r requirements.lock
	@touch $@ $(VENV)/.runtime
