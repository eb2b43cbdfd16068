# Two commands do everything: make results, make test. Both set up .venv from the lock first;
# make doctor says what a run would find on this machine, and which results are older than the code.

PYTHON ?= $(firstword $(shell command -v python3.11 python3.12 python3.13 python3))
CORES ?= all
BIN = .venv/bin

.PHONY: results test lint doctor pages site screenshots lock clean

results: .venv/complete
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --cores $(CORES)

test: .venv/complete
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n auto

lint: .venv/complete
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/snakefmt --check Snakefile workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake --lint

doctor: .venv/complete
	$(BIN)/mvclust doctor

# The pages of docs/ that follow from committed results, where these have changed.
pages: .venv/complete
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakemake docs --cores 1

# The documentation in docs/_build/html; a warning is an error.
site: .venv/complete
	$(BIN)/python docs/make_site.py

# The pictures of the report page in docs/figures; needs Chromium.
screenshots: .venv/complete
	$(BIN)/python docs/make_screenshots.py

.venv/complete: envs/requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r envs/requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

# Pins the packages of a run, one version for all Pythons where it can: digits follow. Needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-emit-find-links --no-header --quiet --upgrade \
		--fork-strategy fewest \
		--extra build --extra crate --extra docs --extra slurm --extra test pyproject.toml -o envs/requirements.lock

clean:
	rm -rf resources .snakemake
