# Every target of this file works from a fresh clone: what it needs, `setup` brings. ARGS="..." is passed through.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
UV := UV_CACHE_DIR="$${UV_CACHE_DIR:-.rowgate/cache/uv}" .rowgate/uv/bin/uv
export PYTHON

.PHONY: help setup run test lint format lock airflow bench render stop clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1|/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name text; do \
		printf '  make %-8s %s\n' "$$name" "$$text"; done

setup: ## bring uv and the locked environment into the project
	@sh scripts/setup.sh

run: setup ## run the whole pipeline on made-up users (ARGS="--rows 100000 --seed 7")
	@$(BIN)/rowgate run users $(ARGS)

test: setup ## run every test (ARGS="tests/unit -k reader")
	@$(BIN)/pytest $(ARGS)

lint: setup ## check style, types, layers and rendered files
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/rowgate render --check

format: setup ## put every Python file into the one format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: setup ## write requirements.lock anew from pyproject.toml (ARGS="--upgrade")
	$(UV) pip compile pyproject.toml --group dev --universal --generate-hashes --no-emit-index-url $(ARGS) -o requirements.lock

airflow: setup ## start Airflow with its web page, until Ctrl-C
	@$(BIN)/rowgate airflow $(ARGS)

bench: setup ## measure the pipeline against simpler ways, as ratios
	@$(BIN)/python benchmarks/run.py $(ARGS)

render: setup ## write every file that comes from a contract
	@$(BIN)/rowgate render $(ARGS)

stop: ## stop the private Postgres
	@if [ -x $(BIN)/rowgate ]; then $(BIN)/rowgate stop; fi

clean: ## stop what runs and remove .venv and .rowgate: environment, warehouse and lake
	@if [ -x $(BIN)/rowgate ]; then $(BIN)/rowgate stop; fi
	@if [ -L .rowgate/postgres/data ]; then rm -rf "$$(dirname "$$(readlink .rowgate/postgres/data)")"; fi
	rm -rf .venv .rowgate
