# `make run` and `make test` do all their own set-up. Every other target is for people who change the program.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
CARGO ?= cargo
export FUZZ_RUNS ?= 20000
export FUZZ_TARGETS := play_script notation settle_line game_file config_file block entry snapshot evidence
export ROUNDS ?= 8000
YEARS ?= 10
SEEDS ?= 100
ARGS ?=
TARGET := $(or $(CARGO_TARGET_DIR),target)
LAB := $(TARGET)/debug/taisai-lab

# Where the home cannot be written to, cargo and npm keep what they download beside the build.
ifneq ($(shell mkdir -p "$${CARGO_HOME:-$$HOME/.cargo}" 2>/dev/null && test -w "$${CARGO_HOME:-$$HOME/.cargo}" && echo yes),yes)
export CARGO_HOME := $(CURDIR)/target/cargo-home
endif
ifneq ($(shell test -w "$${npm_config_cache:-$$HOME}" && echo yes),yes)
export npm_config_cache := $(CURDIR)/target/npm-cache
endif

SCREENS := web/dist/index.html
SCREENS_FROM := $(shell find games web/src web/public web/scripts web/*.* -type f -not -path 'web/src/fonts/*' 2>/dev/null)

# Screens that weigh too much are not there: they are built, and refused, again.
.DELETE_ON_ERROR:

.PHONY: run release lab demo test soak-tests bench lint types check-screens screens browser machines take-over pictures fuzz fuzz-targets mutants torture torture-years installations installations-long planted bless release-check
.PHONY: tools checkers program python postgres chromium fonts

run: tools $(SCREENS) ## run a casino in data/: a table with eight Player Terminals and a live one; ARGS are those of `taisai serve`
	@[ -e "$(TARGET)/quick/taisai" ] || echo "Building the program: about three minutes, once."
	@$(CARGO) build --profile quick --locked -p taisai-cli
	@exec "$(TARGET)/quick/taisai" serve $(ARGS)

release: tools $(SCREENS) ## the program as it is installed and measured, target/release/taisai
	@$(CARGO) build --release --locked -p taisai-cli

lab: tools $(SCREENS) ## target/release/taisai-lab, which is not installed: simulator, load generator, simulated devices; and the program it measures
	@$(CARGO) build --release --locked -p taisai-cli -p taisai-lab

demo: ## run a TRAINING casino in demo-data/ that deals by itself, with play players and play money
	@$(MAKE) --no-print-directory run ARGS="--demo $(ARGS)"

test: tools checkers python postgres chromium ## every test, in stages: all run, whatever fails; a table at the end says what each reached
	@.ci/stages

soak-tests: tools checkers python ## ten green runs of .ci/run in a row, cold and warm, some beside busy loops; goes on where it was left
	@.ci/soak

lint: tools checkers ## formatting and lints, warnings refused
	@$(CARGO) fmt --all --check
	@$(CARGO) clippy --workspace --all-targets --locked --quiet -- -D warnings
	@$(CARGO) clippy --workspace --test machines --locked --quiet -- -D warnings

types: python ## the TypeScript types are those of crates/server/openapi.json
	@.ci/node npm --prefix web run --silent types -- --check >/dev/null \
		|| { echo "web/src/api.d.ts is not made from crates/server/openapi.json: run make bless." >&2; exit 1; }

$(SCREENS): $(SCREENS_FROM)
	@$(MAKE) --no-print-directory python fonts
	@.ci/node npm --prefix web run --silent build

check-screens: types $(SCREENS) ## the screens: their types, and what they weigh
	@.ci/node npm --prefix web run --silent check

screens: check-screens ## the screens: their types, their modules, and what they weigh
	@.ci/node npm --prefix web run --silent unit

# `taisai` and `taisai-lab`: cargo builds the programs of the packages whose tests are named. The whole workspace is chosen, as cargo
# settles features over what is chosen, and would compile the server anew for any other choice.
program: tools
	@$(CARGO) test --quiet --workspace --locked --no-run --test machines --test lab

browser: tools python chromium $(SCREENS) ## the screens in Chromium: with a stand-in server, with the program, and as pictures in web/shots/
	@$(MAKE) --no-print-directory program
	@.ci/node npm --prefix web run --silent browser
	@.ci/node npm --prefix web run --silent house
	@.ci/node npm --prefix web run --silent pictures

machines: tools postgres ## a casino on three machines and two servers: what only real processes on a real database show
	@$(CARGO) test --quiet --workspace --locked --test machines

take-over: tools postgres ## how soon bets are taken again when a machine or the primary is lost, with an optimised program
	@$(CARGO) test --quiet --release --workspace --locked --test machines -- --nocapture killed frozen the_primary 2>/dev/null \
		| grep 'bets are taken again after\|test result'

pictures: python chromium $(SCREENS) ## every screen at three sizes, to be looked at, in web/shots/
	@.ci/node npm --prefix web run --silent pictures

ifdef AGAINST
bench: tools python ## every figure beside its rival; with AGAINST=<commit> beside that commit (GROUPS, FIGURES choose)
	@CARGO="$(CARGO)" .ci/bench-against "$(AGAINST)" "$(FIGURES)" "$(GROUPS)"
else
bench: tools python chromium $(SCREENS)
	@$(CARGO) run --quiet --release --locked -p taisai-bench
	@.ci/node npm --prefix web run --silent speed
endif

fuzz-targets: tools checkers
	@fuzz/build

fuzz: fuzz-targets ## the parsers: corpus, then FUZZ_RUNS runs each
	@printf '%s\n' $(FUZZ_TARGETS) | xargs -P 2 -I '{}' fuzz/run '{}' -runs=$(FUZZ_RUNS) -seed=1

mutants: tools ## breaks rules and table on purpose, two thousand times: a test must go red each time; .cargo/mutants*.toml
	@command -v cargo-mutants >/dev/null || $(CARGO) install --locked cargo-mutants
	@$(CARGO) mutants -p taisai-rules -p taisai-datafile
	@mkdir -p target/mutants-table # some of the table's mutants ask for memory without end
	@ulimit -v 8388608; $(CARGO) mutants --config .cargo/mutants-table.toml --output target/mutants-table -p taisai-table

torture: program ## ROUNDS rounds of each game with mistakes, faults and restarts; what was met is in target/torture/
	@mkdir -p target/torture
	@met=target/torture/met.txt; \
	"$(LAB)" torture --rounds $(ROUNDS) > $$met || { cat $$met; exit 1; }; \
	sed '/^How often/,$$d' $$met; tail -n 1 $$met

installations: program ## SEEDS installations of three nodes with 100 faults each, on the production engine in virtual time
	@"$(LAB)" torture --nodes 3 --clusters 2 --faults 100 --seeds $(SEEDS)

installations-long: tools ## 1,000,000 faults on installations, a thousand seeds at a time; those done with this commit are not run again
	@mkdir -p target/torture
	@done=target/torture/installations-$$(git rev-parse --short HEAD); \
	for first in $$(seq 1 1000 9001); do \
		if [ -e $$done-$$first ]; then continue; fi; \
		$(CARGO) run --quiet --release --locked -p taisai-lab -- torture --nodes 3 --seed $$first --seeds 1000 \
			|| exit 1; \
		touch $$done-$$first; \
	done

planted: tools ## known mistakes, made on purpose one at a time: the simulator finds every one
	@$(CARGO) test --quiet --locked -p taisai-simulator --features planted planted

torture-years: tools ## YEARS table-years, each of another seed and spread over the games; those done with this commit are not played again
	@mkdir -p target/torture
	@done=target/torture/$$(git rev-parse --short HEAD); \
	for seed in $$(seq $(YEARS)); do \
		if [ -e $$done-$$seed ]; then continue; fi; \
		echo "── table-year $$seed of $(YEARS)"; \
		$(CARGO) run --quiet --release --locked -p taisai-lab -- torture --seed $$seed --rounds 131400 > $$done.part \
			|| { cat $$done.part; exit 1; }; \
		mv $$done.part $$done-$$seed; \
	done

bless: tools python ## write the golden files anew; read the difference before you commit it
	@python3 tests/odds/enumerate.py
	@BLESS=1 $(CARGO) test --quiet --locked -p taisai-rules --test rules felts
	@BLESS=1 $(CARGO) test --quiet --locked -p taisai-script --lib the_document_lists
	@BLESS=1 $(CARGO) test --quiet --locked -p taisai-cli --lib --test cli
	@BLESS=1 $(CARGO) test --quiet --locked -p taisai-journal --test journal format::
	@BLESS=1 $(CARGO) test --quiet --locked -p taisai-reports --test reports -- document projection::queries
	@BLESS=1 $(CARGO) test --quiet --locked -p taisai-server --lib -- openapi the_stand_in_house
	@.ci/node npm --prefix web run --silent types

release-check: test bench ## what a release needs beside the tests: 1,000,000 simulated faults, 10 table-years, 1,000 kills a store, 20 minutes of fuzzing a parser, mutants
	@RECORD_KILLS=1000 $(CARGO) test --locked -p taisai-record --test record killed
	@$(MAKE) --no-print-directory installations-long planted
	@$(MAKE) --no-print-directory torture-years
	@$(CARGO) package --locked --allow-dirty -p taisai-rules
	@for target in $(FUZZ_TARGETS); do fuzz/run $$target -max_total_time=1200; done
	@$(MAKE) --no-print-directory mutants

tools:
	@command -v $(CARGO) >/dev/null || { echo "Rust is missing: install it with rustup (https://rustup.rs), then run make again." >&2; exit 1; }
	@command -v cc >/dev/null || { echo "A C compiler is missing: install one (Debian: apt-get install build-essential), then run make again." >&2; exit 1; }

# What only those need who check the program: `make run` does without.
checkers:
	@$(CARGO) fmt --version >/dev/null 2>&1 && $(CARGO) clippy --version >/dev/null 2>&1 \
		|| { echo "rustfmt or clippy is missing: install them (rustup component add rustfmt clippy), then run make again." >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || { echo "A C++ compiler is missing, which the fuzzer is built with: install one (Debian: apt-get install build-essential), then run make again." >&2; exit 1; }

python:
	@command -v python3 >/dev/null || { echo "Python 3 is missing: install it (Debian: apt-get install python3), then run make again." >&2; exit 1; }

postgres:
	@.ci/postgres

chromium:
	@.ci/chromium

fonts:
	@.ci/fonts
