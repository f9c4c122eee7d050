# Every target sets itself up: `make demo` or `make test` may be the first command after cloning.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

# The tests start the tool some hundred times; without bytecode each start compiles it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test test-fast lint format bench coverage nightly clean

help:
	@echo "make setup     create $(VENV) and install the tool with its development tools"
	@echo "make demo      run the tool on an example of each kind"
	@echo "make test      every check: format, lint, types, import contracts, tests (of large families a sample)"
	@echo "make test-fast format, lint, and the tests that take a minute together"
	@echo "make format    rewrite the sources in the common format"
	@echo "make bench     run the benchmarks"
	@echo "make coverage  run the tests and list the lines they miss"
	@echo "make nightly   the long test run: slow tests, all cases, many random programs"

setup: $(STAMP)

# Some systems ship Python without ensurepip, so that `python3 -m venv` fails; virtualenv needs only pip.
$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
	    rm -rf $(VENV) && \
	    $(PYTHON) -m pip install --quiet --target $(VENV)-bootstrap virtualenv && \
	    PYTHONPATH=$(VENV)-bootstrap $(PYTHON) -m virtualenv --quiet $(VENV) && \
	    rm -rf $(VENV)-bootstrap; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

# $(call expect,CODE,ARGUMENTS): run the tool and insist on this exit code.
define expect
@echo; echo '$$ threadwise $(2)'; \
$(BIN)/threadwise $(2); code=$$?; \
test $$code -eq $(1) || { echo "expected exit code $(1), got $$code" >&2; exit 1; }
endef

SAFE := 0
UNSAFE := 1
UNKNOWN := 3
VALID := 0
DEMO := build/demo

demo: setup
	@mkdir -p $(DEMO)
	@echo; echo '# A proof, one thread at a time, and a look at it.'
	$(call expect,$(SAFE),check examples/flanagan_qadeer/simple_owner.tw --certificate $(DEMO)/proof.json)
	$(call expect,$(SAFE),explain examples/flanagan_qadeer/simple_owner.tw)
	@echo; echo '# The proof again, from the file, by the checker alone.'
	$(call expect,$(VALID),certify examples/flanagan_qadeer/simple_owner.tw $(DEMO)/proof.json)
	@echo; echo '# A broken variant, and the interleaving that breaks it.'
	$(call expect,$(UNSAFE),check examples/qadeer_rajamani_rehof/figure2_coarse_allocator_bug.tw --property exclusive_use --trace $(DEMO)/trace.json)
	@echo; echo '# The interleaving again, from the file.'
	$(call expect,$(VALID),replay examples/qadeer_rajamani_rehof/figure2_coarse_allocator_bug.tw $(DEMO)/trace.json)
	@echo; echo '# A question that this engine cannot answer: the lock does not know its owner.'
	$(call expect,$(UNKNOWN),check examples/flanagan_qadeer/simple_boolean.tw --engine thread-modular --property exclusion)
	@echo; echo '# Another engine can.'
	$(call expect,$(SAFE),check examples/flanagan_qadeer/simple_boolean.tw --engine explicit --property exclusion)
	@echo; echo '# C with threads: no race, and a race.'
	$(call expect,$(SAFE),check examples/c/counter_mutex.c --property races --property assertions)
	$(call expect,$(UNSAFE),check examples/c/counter_mutex_bug.c --property races)
	@echo; echo 'The demo ran as expected; proof and trace are in $(DEMO).'

test: setup lint
	HYPOTHESIS_PROFILE=ci THREADWISE_SAMPLE=1 $(BIN)/python -m pytest -n $(JOBS)

FAST := $(addprefix tests/unit/,api core frontends/model ir proofs report semantics systems traces transforms) \
	tests/contract tests/docs/test_references.py tests/papers

test-fast: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n $(JOBS) -q $(FAST)

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.transactions
	$(BIN)/python -m benchmarks.c_front_end
	$(BIN)/python -m benchmarks.beyond
	$(BIN)/python -m benchmarks.peers

coverage: setup
	HYPOTHESIS_PROFILE=ci $(BIN)/coverage run -m pytest
	$(BIN)/coverage report

nightly: setup lint
	HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -n $(JOBS) -m "slow or not slow"
	$(BIN)/python -m benchmarks.faults --results build/faults

clean:
	rm -rf $(VENV) $(VENV)-bootstrap build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage
