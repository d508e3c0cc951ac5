# The repository's own make targets: the environment of this checkout, its tests, and the main job.
PYTHON ?= python3
ENV := .venv
BIN := $(ENV)/bin

new:  ## seed a repository: make new DIR=../my-repo
	@test -n "$(DIR)" || { echo "make new: DIR is missing" >&2; echo "→ make new DIR=../my-repo" >&2; exit 2; }
	@$(MAKE) --no-print-directory $(ENV)/ready
	@$(BIN)/groundrules new "$(DIR)" --defaults $(ARGS)

test: $(ENV)/ready-test  ## run the tests
	@$(BIN)/pytest -q -n auto --dist loadgroup $(ARGS)

lint: $(ENV)/ready-lint  ## formatting, lint, types, import floors, workflows
	@sh tools/lint

clean:  ## remove the environment
	rm -rf $(ENV)

$(ENV)/ready: pyproject.toml tools/environment
	@PYTHON=$(PYTHON) sh tools/environment $(ENV)
	@touch $@

$(ENV)/ready-test: $(ENV)/ready
	@sh tools/environment $(ENV) test
	@touch $@

$(ENV)/ready-lint: $(ENV)/ready-test
	@sh tools/environment $(ENV) lint
	@touch $@

.PHONY: new test lint clean
