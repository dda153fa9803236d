# Everything is done by scripts/setup.py, which works without make too:
#     python scripts/setup.py lab        py scripts\setup.py lab        (Windows)

PYTHON ?= $(shell command -v python3 || command -v python || echo python3)
SETUP = $(PYTHON) scripts/setup.py
LOCK = uv pip compile --universal --generate-hashes --no-header --upgrade --quiet

.DEFAULT_GOAL := help
.PHONY: help lab test check bench fuzz notebooks docs lite lock

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1	/' | expand -t 18

lab: ## open JupyterLab on the first lesson; more flags: make lab LAB_FLAGS="--no-browser --port 9999"
	@$(SETUP) lab $(LAB_FLAGS)

test: ## all checks and all tests, lessons included; some: make test TEST_FLAGS="tests/test_loop.py -x"
	@$(SETUP) test $(TEST_FLAGS)

check: ## ruff, the formatting and mypy, without running anything
	@$(SETUP) check

bench: ## everything beside its peers, half an hour; one: make bench BENCH_FLAGS="--quick loop"
	@$(SETUP) bench $(BENCH_FLAGS)

fuzz: ## odd input of every kind and a minute of two hundred streams, ten minutes at most
	@$(SETUP) fuzz $(FUZZ_FLAGS)

notebooks: ## run the lessons again and store their outputs, normalised
	@$(SETUP) notebooks $(NOTEBOOKS)

docs: ## build the documentation into docs/_build/html
	@$(SETUP) docs

lite: ## build the lessons for a browser without a server into docs/_build/lite
	@$(SETUP) lite

lock: ## write requirements.lock anew from pyproject.toml, and that of llm (needs uv)
	$(LOCK) --all-extras --output-file requirements.lock pyproject.toml
	$(LOCK) --python-version 3.11 --no-annotate \
		--output-file tests/clients/apart/llm.lock tests/clients/apart/llm.txt
