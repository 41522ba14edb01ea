# Every target of this file works from a fresh clone: what it needs, `setup` brings. ARGS="..." is passed through.
.DEFAULT_GOAL := help
SHELL := /bin/sh
BIN := .venv/bin
UV := UV_CACHE_DIR="$${UV_CACHE_DIR:-.rowgate/cache/uv}" .rowgate/uv/bin/uv
export PYTHON

.PHONY: help setup run test lint format lock env airflow dashboard bench jars monitor render servers checkov terraform \
	lint-workflows secrets workflow-tools test-athena test-kills stop clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(firstword $(MAKEFILE_LIST)) | while IFS='|' read -r name text; do \
		printf '  make %-14s %s\n' "$$name" "$$text"; done

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
	$(BIN)/python monitoring/grafana/build.py --check

format: setup ## put every Python file into the one format
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lock: setup ## write requirements.lock anew from pyproject.toml (ARGS="--upgrade")
	$(UV) pip compile pyproject.toml --group dev --universal --generate-hashes --no-emit-index-url $(ARGS) -o requirements.lock

env: ## write .env for docker compose, with passwords made up
	@if [ -x $(BIN)/python ]; then $(BIN)/python scripts/make_env.py; else python3 scripts/make_env.py; fi

airflow: setup ## start Airflow with its web page, until Ctrl-C
	@$(BIN)/rowgate airflow $(ARGS)

dashboard: setup ## show runs, rejections and marts in the browser, until Ctrl-C (ARGS="--demo")
	@$(BIN)/rowgate dashboard $(ARGS)

monitor: ## start the StatsD exporter, Prometheus and Alertmanager here, until Ctrl-C
	@sh scripts/monitor.sh

jars: ## bring the jars that Spark lacks for S3 and Delta (needs Maven; ARGS="s3")
	@sh scripts/jars.sh $(ARGS)

servers: ## build the servers that tests start (needs Go)
	@command -v go >/dev/null || { echo "rowgate: there is no Go to build the servers of the tests with; install Go 1.26 or newer." >&2; exit 2; }
	@go build -C tests/servers/versitygw -trimpath -ldflags="-s -w" -o ../../../.rowgate/bin/versitygw github.com/versity/versitygw/cmd/versitygw
	@go build -C tests/servers/statsd_exporter -trimpath -ldflags="-s -w" -o ../../../.rowgate/bin/statsd_exporter github.com/prometheus/statsd_exporter
	@go build -C tests/servers/aws_schema -trimpath -ldflags="-s -w" -o ../../../.rowgate/bin/terraform-provider-aws

checkov: setup
	@$(UV) venv --quiet --allow-existing --python $(BIN)/python .rowgate/checkov
	@VIRTUAL_ENV=.rowgate/checkov $(UV) pip sync --quiet --require-hashes infra/terraform/checkov.lock

terraform: checkov ## check infra/terraform: form, checkov, and what can be tried without an account
	@command -v terraform >/dev/null || { echo "rowgate: there is no terraform; install Terraform 1.11 or newer." >&2; exit 2; }
	@terraform -chdir=infra/terraform fmt -check -recursive
	@$(BIN)/pytest tests/terraform $(ARGS)

workflow-tools:
	@command -v go >/dev/null || { echo "rowgate: there is no Go to build actionlint and gitleaks with; install Go 1.26 or newer." >&2; exit 2; }
	@go build -C tests/servers/actionlint -trimpath -ldflags="-s -w" -o ../../../.rowgate/bin/actionlint github.com/rhysd/actionlint/cmd/actionlint
	@go build -C tests/servers/gitleaks -trimpath -ldflags="-s -w" -o ../../../.rowgate/bin/gitleaks github.com/zricethezav/gitleaks/v8

lint-workflows: setup workflow-tools ## check .github with zizmor and actionlint, and git for secrets (needs Go)
	@$(BIN)/pytest tests/workflows $(ARGS)

secrets: workflow-tools ## look for secrets in the whole history of git (needs Go)
	@.rowgate/bin/gitleaks git --redact --no-banner --verbose .

test-athena: setup ## run Athena's tables and saved queries on Trino (needs Maven and Java 25)
	@sh tests/servers/trino/jars.sh
	@ROWGATE_ATHENA=1 $(BIN)/pytest tests/athena $(ARGS)

test-kills: setup ## kill Spark twenty times while it writes to S3 (needs `make servers jars`)
	@ROWGATE_KILLS=20 ROWGATE_REQUIRE=s3 $(BIN)/pytest tests/spark/test_s3.py $(ARGS)

bench: setup ## measure the pipeline against simpler ways, as ratios
	@$(BIN)/python benchmarks/run.py $(ARGS)

render: setup ## write every file that comes from a contract, and Grafana's dashboards
	@$(BIN)/rowgate render $(ARGS)
	@$(BIN)/python monitoring/grafana/build.py $(filter --check,$(ARGS))

stop: ## stop the private Postgres
	@if [ -x $(BIN)/rowgate ]; then $(BIN)/rowgate stop; fi

clean: ## stop what runs and remove .venv and .rowgate: environment, warehouse and lake
	@if [ -x $(BIN)/rowgate ]; then $(BIN)/rowgate stop; fi
	@if [ -L .rowgate/postgres/data ]; then rm -rf "$$(dirname "$$(readlink .rowgate/postgres/data)")"; fi
	rm -rf .venv .rowgate
