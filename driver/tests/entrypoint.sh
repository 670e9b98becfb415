#!/bin/sh
# What `docker compose run --rm tests [all|lint|acceptance|PYTEST ARGUMENTS]` does.
set -eu

lint() {
  ruff check . ../python_target
  ruff format --check . ../python_target
  mypy
  (cd ../python_target && mypy)
  (cd ../node_target && NO_COLOR=1 node_modules/.bin/biome ci)
}

case "${1:-all}" in
  lint) lint ;;
  acceptance) exec pytest -c pyproject.toml tests/acceptance ;;
  all)
    lint
    (cd ../node_target && UV_THREADPOOL_SIZE=4 node --test --test-force-exit)
    exec pytest -c pyproject.toml
    ;;
  *) exec pytest -c pyproject.toml "$@" ;;
esac
