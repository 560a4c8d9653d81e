# Everything here is a plain go command; the targets only remember it. "make ci" runs what a build server runs.

GO ?= go
GOFMT ?= $(shell $(GO) env GOROOT)/bin/gofmt
SCENARIO ?= throttled-tab
# Seeds of "make sweep", and further flags of it.
SEEDS ?= 20
SWEEP ?= --set size=small

.PHONY: help run test race lint bench sweep rewrite ci

help: ## what there is
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## /  make \1\t/'

run: ## one scenario, with its table
	$(GO) run ./cmd/simrun run $(SCENARIO)

test: ## all tests
	$(GO) test ./...

race: ## all tests under the race detector (needs a C compiler)
	$(GO) test -race -short ./...

lint: ## format, vet, the rules of the repository, staticcheck where it is installed
	@unformatted="$$($(GOFMT) -l .)" || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) test -count=1 .
	@if command -v staticcheck >/dev/null; then staticcheck ./...; \
	else echo "staticcheck is not installed: skipped (go install honnef.co/go/tools/cmd/staticcheck@v0.8.2)"; fi

bench: ## all benchmarks
	$(GO) test -run '^$$' -bench . ./...

sweep: ## seeds of a scenario, on all cores: make sweep SEEDS=100 SCENARIO=churn
	@mkdir -p out && $(GO) build -o out/simrun ./cmd/simrun
	out/simrun sweep --scenario $(SCENARIO) --seeds 1-$(SEEDS) $(SWEEP)

# Packages whose tests define the flag -rewrite; others would refuse it.
REWRITERS = $(shell grep -rl --include='*_test.go' '"rewrite"' . | xargs -n1 dirname | sort -u)

rewrite: ## golden files from the tree; review the diff
	$(GO) test . -run TestDependencies -rewrite
	@set -e; for dir in $(filter-out .,$(REWRITERS)); do \
		echo "$(GO) test $$dir -rewrite"; $(GO) test "$$dir" -rewrite; \
	done

ci: ## what a build server runs
	.ci/run
