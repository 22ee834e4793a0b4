# make alone lists the targets. The variables below may be set on the command line
# or in the environment, e.g. make build PYTHON=python3.13.

PYTHON     ?=
CC         ?= cc
TAGS       ?= cuda
BENCH      ?=
BENCH_CUPYNUMERIC ?=
SOAK       ?=
NUMPY_TESTS ?=
PROPERTIES ?=
LIBRARIES  ?=
FUZZ       ?=
FROM       ?=
CGO_CFLAGS_EXTRA ?=
EVERY      ?=

# A Go that install/bootstrap.sh fetched comes first; from 1.21 on, Go fetches by
# itself the version that go.mod names.
GO          ?= $(if $(wildcard .go/bin/go),$(CURDIR)/.go/bin/go,go)
GOTOOLCHAIN ?= auto
# Packages are compiled once, whether for the binary, the extension, a test or a linter: with the path of the tree in them,
# or without, they would be others, as they would be for an executable at a fixed address. The C machine takes minutes.
ONCE = -trimpath -buildmode=pie
override GOFLAGS := $(filter-out $(ONCE),$(GOFLAGS)) $(ONCE)
export GOFLAGS

# GO is not exported: the make that runs after bootstrap.sh must look again.
export GOTOOLCHAIN PYTHON CC

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION     = $(shell sed -n 's/^version = "\(.*\)"/\1/p' python/pyproject.toml)$(shell \
                git rev-parse --short HEAD 2>/dev/null | sed 's/^/+g/')

# Code behind the tag "cuda" finds the header and the empty library that stand in for
# a CUDA toolkit only through the environment; see cuda/driver/doc.go. Both go by the compiler's own
# variables: flags would make Go compile the C machine anew for each of them, half a minute each.
export CGO_ENABLED = 1
# Without errno the compiler makes vectors of square roots; the results are the same. Where each variable is at each instruction
# of the C machine, the compiler needs half of its time to write down (-g); files and lines (-g1) are what backtraces show.
export CGO_CFLAGS  = -O2 -g1 -fno-math-errno $(CGO_CFLAGS_EXTRA)
export CGO_LDFLAGS = -O2 -g -Wl,--as-needed
export C_INCLUDE_PATH = $(CURDIR)/cuda/driver/include
export LIBRARY_PATH = $(CURDIR)/cuda/driver/lib

# The extension sees Python's headers.
EXTENSION_TAGS  = extension $(TAGS)
EXTENSION_FLAGS = C_INCLUDE_PATH="$(C_INCLUDE_PATH):$$(.venv/bin/python -c \
                    'import sysconfig; print(sysconfig.get_paths()["include"])')"

GOFMT    = "$$($(GO) env GOROOT)/bin/gofmt"
GO_FILES = $(shell find . -name '*.go' -not -path './.*' -not -path '*/node_modules/*')
PAGES    = viz/live/timeline viz/graph/page
HAVE_NPM = $(shell command -v npm)

.DEFAULT_GOAL := help
.PHONY: help build environment command compile run lab test tools bench bench-kernel bench-hostile bench-prof bench-kernels soak numpy-tests properties libraries fuzz fakecuda accuracy test-asan lint-go lint-python lint-ui test-go test-race fuzz-texts test-python test-package test-layers test-machines test-pages gpu-pack gpu-check gpu-check-brief gpu-results ui fmt clean

help: ## list the targets
	@echo 'weft $(VERSION): NumPy notebooks on all cores of your machine'
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'
	@echo
	@echo 'Variables: PYTHON (the interpreter for .venv), CC, GO, TAGS (now "$(TAGS)"), CGO_CFLAGS_EXTRA, BENCH'

build: ## check this machine, then build bin/weft and .venv with the package and the kernel "weft"
	@install/bootstrap.sh machine
	@$(MAKE) --no-print-directory --jobs=2 environment command
	@$(MAKE) --no-print-directory compile

# Packages come by the network while the compilers have the cores.
environment:
	@install/bootstrap.sh environment

# Go itself knows what has changed, tags, flags and embedded files included. -buildmode=c-shared would compile all
# packages with C anew each time, because it looks in its cache for a header of each, which only those with exports
# have. The code is the same for pie; that a library comes of it is the linker's business alone.
command:
	@$(GO) build -tags '$(TAGS)' -ldflags '-X main.version=$(VERSION)' -o bin/weft ./cmd/weft

compile: command
	@$(EXTENSION_FLAGS) $(GO) build -tags '$(EXTENSION_TAGS)' \
		-ldflags '-buildmode=c-shared -s -w -X main.coreVersion=$(VERSION)' -o python/weft/_core.abi3.so ./python/core
	@.venv/bin/python -m compileall -q python/weft  # also where Python may not write it at the first import
	@bin/weft install --sys-prefix

run: build ## execute notebooks/heat.ipynb in the kernel; leaves the notebook, timeline, graph and profile in out/
	@mkdir -p out
	@bin/weft exec --profile --dataflow notebooks/heat.ipynb -o out/heat.ipynb

lab: build ## open JupyterLab with the kernel
	@install/bootstrap.sh lab
	@.venv/bin/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

# Tests of kernels and pages wait for a third of their time, so that three stages at once keep two cores busy. Each
# stage leaves its time in out/stages; one that leaves none has failed, and is named at the end. While what tests alone need is
# fetched, which keeps the network busy and a core now and then, run those that need none of it: lint-go and test-race.
# The longest start first, so that no core is left without work at the end.
STAGES = tools lint-go test-race test-layers test-machines test-package test-go test-pages lint-ui lint-python

test: build ## everything that must pass: formats, linters, Go tests, checks of the pages, Python tests
	@rm -rf out/stages && mkdir -p out/stages
	@$(MAKE) --no-print-directory --keep-going --jobs=3 --output-sync=target $(STAGES:%=stage-%) || true
	@cd out/stages; failed=; for stage in $(STAGES); do [ -e $$stage ] && echo "$$stage: $$(cat $$stage) s" || failed="$$failed $$stage"; done; \
		[ -z "$$failed" ] || { echo "failed:$$failed (see above, or run make$$failed)"; exit 1; }

WITH_TOOLS = test-package test-layers test-machines test-pages test-go lint-ui
$(WITH_TOOLS:%=stage-%): stage-tools

# Compiled once, for stages that start together.
stage-test-layers stage-test-machines stage-test-go: out/libcuda.so.1

stage-%:
	@start=$$(date +%s); $(MAKE) --no-print-directory $* && echo $$(($$(date +%s) - start)) > out/stages/$*

tools:
	@install/bootstrap.sh test

bench: build ## time weft beside NumPy, numexpr, Numba, JAX, Dask and C, and programs as people write them; out/bench.json, out/written.json, out/bench.svg (BENCH="--quick")
	@tests/bench/install.sh
	@BENCH_MISSING=.venv-bench/missing BENCH_CC='$(CC)' BENCH_CUPYNUMERIC='$(BENCH_CUPYNUMERIC)' PYTHONPATH=tests .venv-bench/bin/python -m bench $(BENCH)

bench-prof: build ## measure recording, profiles, graphs and the viewer; out/bench-prof.json (BENCH="--quick")
	@PYTHONPATH=tests .venv/bin/python -m bench_prof $(BENCH)

bench-kernel: build ## time the Jupyter kernel beside ipykernel and xeus-python; out/bench-kernel.json (BENCH="--rounds 3")
	@tests/bench/install.sh
	@PYTHONPATH=tests .venv-bench/bin/python -m bench_kernel $(BENCH)

bench-hostile: build ## time the Jupyter kernel beside ipykernel under attacks without a key; out/bench-hostile.json (BENCH="--seconds 2")
	@tests/bench/install.sh
	@PYTHONPATH=tests .venv-bench/bin/python -m bench_hostile $(BENCH)

bench-kernels: build ## time CUDA kernels, loops and @vectorize beside Numba's simulator, @njit(parallel=True) and @vectorize; out/bench-kernels.json (BENCH="--quick")
	@tests/bench/install.sh
	@PYTHONPATH=tests .venv-bench/bin/python -m bench_kernels $(BENCH)

soak: build ## keep a kernel busy: 10,000 cells, 1 GB of output, 1,000 interrupts, attacks, restarts (SOAK="--cells 500")
	@.venv/bin/pip install --quiet -r python/requirements-dev.txt
	@PYTHONPATH=tests .venv/bin/python -m soak $(SOAK)

numpy-tests: build ## run NumPy's own tests on weft, list what only NumPy passes, and compare with the baseline (NUMPY_TESTS="umath lib/regression linalg")
	@.venv/bin/pip install --quiet -r python/requirements-dev.txt
	@PYTHONPATH=tests .venv/bin/python -m numpy_suite $(NUMPY_TESTS)

properties: build ## compare every function of NumPy with weft's for arguments drawn at random (PROPERTIES=10000, examples of each)
	@.venv/bin/pip install --quiet -r python/requirements-dev.txt
	@PROPERTIES=$(or $(PROPERTIES),1000) $(PYTEST) -q python/tests/test_properties.py

libraries: build ## run programs of the libraries that NumPy users import most on weft and on NumPy; tests/libraries/LIBRARIES.md (LIBRARIES="pandas torch")
	@tests/libraries/install.sh
	@PYTHONPATH=tests .venv-libraries/bin/python -m libraries $(LIBRARIES)

fuzz: build ## run random programs that share memory in every configuration beside NumPy, for an hour (FUZZ="--programs 1000000")
	@PYTHONPATH=tests .venv/bin/python tests/fuzz.py $(FUZZ)

gpu-pack: build ## pack what checks weft on a machine with a GPU, without Go, network or Python of ours; says how to run it there
	@GO='$(GO)' TAGS='$(TAGS)' VERSION='$(VERSION)' tests/gpu/pack.sh out/gpu-pack

gpu-check: gpu-pack ## run that here: on the GPU, on the driver that WEFT_LIBCUDA names, or on the fake driver; out/gpu
	@if [ -n "$$WEFT_LIBCUDA" ] || [ -e /dev/nvidia0 ]; then OUT=out/gpu out/gpu-pack/weft-gpu/check.sh; else \
		$(MAKE) --no-print-directory fakecuda && OUT=out/gpu WEFT_LIBCUDA=$(CURDIR)/out/libcuda.so.1 out/gpu-pack/weft-gpu/check.sh; fi

gpu-results: ## take what a check of a GPU found into tests/gpu/CHECKED.md and tests/gpu/transcript.txt (FROM=folder)
	@tests/gpu/results.sh '$(or $(FROM),out/gpu)'

gpu-check-brief: out/libcuda.so.1 ## a part of that on the fake driver, in seconds, as the tests do after a build; out/gpu-brief
	@GO='$(GO)' TAGS='$(TAGS)' tests/gpu/pack.sh --here out/gpu-here
	@OUT=out/gpu-brief WEFT_LIBCUDA=$(CURDIR)/out/libcuda.so.1 FAKECUDA_SMS=4 out/gpu-here/check.sh --brief

fakecuda: out/libcuda.so.1 ## compile the fake CUDA driver that tests use, for use by hand: out/libcuda.so.1 (WEFT_LIBCUDA names it; see cuda/driver/fakecuda/doc.go)

FAKE = cuda/driver/testdata/fake

# The lanes of a warp are vectors where the compiler knows this machine's, which takes a third of what kernels cost; the bits are the same.
NATIVE = $(shell $(CC) -march=native -E -x c /dev/null >/dev/null 2>&1 && echo -march=native)

out/libcuda.so.1: $(wildcard $(FAKE)/*)
	@mkdir -p out
	$(CC) -O3 $(NATIVE) -Wall -Wextra -Werror -ffp-contract=off -shared -fPIC -pthread -o $@.$$$$ $(FAKE)/*.c \
		-Wl,-z,defs,--version-script=$(FAKE)/exports.map -lm -ldl && mv $@.$$$$ $@

accuracy: ## measure the elementary functions against 113 bits (GCC); writes cpu/ACCURACY.md (EVERY=erf: for all 2^32 float32, minutes; writes nothing)
	@cd cpu/vm/testdata && CC='$(CC)' ./accuracy.sh $(if $(EVERY),1 $(EVERY))

# The analyser cgocall opens files that import "C" by the path in Go's cache, which with -trimpath is that of whichever
# tree compiled them first: where that tree is gone, vet fails in every other. The run time checks the same rule for
# pointers at each call of a test (cgocheck=1 is the default).
VET = $(GO) vet -cgocall=false

# The tag of the extension adds files to its folder alone, so that one run with it sees all that one without it does.
lint-go:
	@unformatted=$$($(GOFMT) -l $(GO_FILES)); [ -z "$$unformatted" ] || \
		{ echo "not formatted (run make fmt):"; echo "$$unformatted"; exit 1; }
	@$(EXTENSION_FLAGS) $(VET) -tags '$(EXTENSION_TAGS)' ./...
	@$(VET) ./cuda/...  # must build without the tag as well
	@$(VET) -tags '$(TAGS) invariants' ./internal/invariants
	@$(EXTENSION_FLAGS) $(GO) run $(STATICCHECK) -tags '$(EXTENSION_TAGS)' ./...

lint-python:
	.venv/bin/ruff check --config python/pyproject.toml python tests

# Without npm the committed bundles are used as they are, which is what most people do.
PACKAGES = $(PAGES:%=%/node_modules/.package-lock.json)
ifneq ($(HAVE_NPM),)
lint-ui: $(PACKAGES)
	@set -e; for page in $(PAGES); do npm --prefix $$page run check; npm --prefix $$page test; done
else
lint-ui:
	@echo 'the pages are not checked: no npm'
endif

# The tests run with every invariant checked; what is shipped, without them, the Python tests run. lint-go vets all packages and
# their tests, with more analysers than go test. Tests of cuda/ptx ask NVIDIA's assembler and disassembler, which .venv has of
# requirements-dev.txt; others can be named.
# Without them the tests of what NVIDIA's tools make of kernels would be skipped: where the wheels are not there, they fail and name the path.
NVIDIA = .venv/lib/python*/site-packages/nvidia
# The collector takes a fifth of the tests' time where it runs whenever the few megabytes that most of them hold have doubled, and a
# third of staticcheck's.
test-go test-race lint-go: export GOGC ?= 400
test-go: export WEFT_PTXAS ?= $(abspath $(or $(firstword $(wildcard $(NVIDIA)/cuda_nvcc/bin/ptxas)),$(NVIDIA)/cuda_nvcc/bin/ptxas))
test-go: export WEFT_NVDISASM ?= $(abspath $(or $(firstword $(wildcard $(NVIDIA)/cu*/bin/nvdisasm)),$(NVIDIA)/cu*/bin/nvdisasm))
test-go: export FAKECUDA_LIBRARY = $(CURDIR)/out/libcuda.so.1
# What debuggers read of an executable takes half of the linker's time, and each package's tests are an executable; traces
# of panics need none of it.
TEST = test -vet=off -ldflags '-s -w'
test-go: out/libcuda.so.1
	$(GO) $(TEST) -tags '$(TAGS) invariants' ./...
	$(GO) $(TEST) -tags '$(TAGS)' ./internal/invariants ./scheduler/core ./scheduler/fuse

# Under the race detector, what goroutines share. With it the C machine is compiled once more, without optimisation and for one instruction set,
# since the detector does not look at C: seconds instead of two minutes. Go finds the compiler by its name, so that what was compiled is found again from any folder.
# scheduler/core, scheduler/fuse and scheduler/sim have no goroutine, so that nothing there can race: what the driver calls of them runs
# here in its tests. Left out is what does nothing for long but fill a log, a file or an array, as others do with less.
RACE = ./scheduler/driver ./workspace ./profiler ./kernel/... ./viz/report ./internal/lru
# Neither sanitizer is to be had in an executable that lies anywhere.
SANITIZED = GOFLAGS='$(filter-out -buildmode=pie,$(GOFLAGS))' $(GO)
LONG = TestVerifyOfALongRun|TestALongLoopLeavesNothingBehind|TestColdOpsOnTheGPU|TestPiecesAgainstWhole|TestFilesThatUnpackToTooMuch
test-race:
	PATH="$(CURDIR)/tests/race:$$PATH" UNOPTIMIZED='$(CC)' CC=cc-unoptimized $(SANITIZED) $(TEST) -race -short -skip '$(LONG)' $(RACE)

# The fuzzers of the block machine, which needs C, are run by go test with their seeds, and by hand with -fuzz. None of this is a stage of
# make test: what a random search finds is no fault of the change that happens to be tested.
FUZZTIME ?= 10s
FUZZERS = $(shell grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z]*' kernel profiler scheduler tile viz | sed 's|/[^/]*:func |:|')
fuzz-texts: ## feed what reads text and bytes from elsewhere with random ones, each for a while (FUZZTIME=1h)
	@set -e; for f in $(FUZZERS); do $(GO) test -run '^$$' -fuzz "^$${f#*:}\$$" -fuzztime $(FUZZTIME) ./$${f%:*}; done

test-asan: ## the CPU engine's C code under the address sanitizer: random launches and sorts on every instruction set
	CC=gcc $(SANITIZED) test -vet=off -asan -run "Fuzz|TestStreaming" ./cpu  # Go knows it by this name
	CC=gcc $(SANITIZED) test -vet=off -asan -run "Sort|Partition|Unique|Position" ./cpu/routines

PYTEST = .venv/bin/python -m pytest -c python/pyproject.toml --rootdir .

# The threads of NumPy's OpenBLAS wait by spinning, 30 ms of a core after each of their jobs, and at the start of each process that
# imports NumPy. (The number is a binary logarithm of cycles.)
test-package test-layers test-machines test-pages: export OPENBLAS_THREAD_TIMEOUT ?= 4

test-python: test-package test-layers test-machines test-pages

test-package:
	$(PYTEST) python/tests

# Those that run many programs on many machines take as long as all other tests of tests/ together.
MACHINES = $(patsubst %,tests/test_%.py,configurations functions gpus libraries numpy_suite programs written)

# Those that wait for a browser's pages most of the time.
BROWSED = tests/graphs tests/lab tests/viewer

# Both ask for the fake driver, which one of them may not find half compiled by the other.
test-layers test-machines: out/libcuda.so.1

test-layers:
	$(PYTEST) tests $(MACHINES:%=--ignore=%) $(BROWSED:%=--ignore=%)

test-machines:
	$(PYTEST) $(MACHINES)

test-pages:
	$(PYTEST) $(BROWSED)

ui: ## rebuild the pages' bundles in viz/live/timeline and viz/graph/page (needs Node)
	@install/bootstrap.sh ui
	@$(MAKE) --no-print-directory $(PACKAGES)
	@set -e; for page in $(PAGES); do npm --prefix $$page run build; done

$(PACKAGES): %/node_modules/.package-lock.json: %/package-lock.json
	npm --prefix $* ci --no-audit --no-fund
	@touch $@

fmt: ## format the Go and Python sources
	@$(GOFMT) -w $(GO_FILES)
	@if [ -x .venv/bin/ruff ]; then .venv/bin/ruff check --quiet --config python/pyproject.toml --select I --fix python tests; fi

clean: ## remove what was built; .venv stays (rm -r .venv removes it)
	rm -rf bin out python/weft/_core.abi3.so
	find . -name __pycache__ -type d -not -path './.venv/*' -exec rm -rf {} +
