# Thin names over swift commands; the continuous integration calls the same targets.
# Each target installs what is missing first (Scripts/setup does nothing where nothing is).

SWIFT_FILES = Package.swift Sources Tests Examples Benchmarks Fuzz
TSAN_TARGETS = StressTests CalotypeSupportTests CalotypeCoreTests CalotypeTests CalotypeLoadingTests CalotypeCacheTests
TSAN = --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build-tsan
TSAN_SETTINGS = CALOTYPE_TESTS="$(TSAN_TARGETS)"
# Where pointers are passed to C. ASAN_TARGETS="… CalotypeCacheTests CalotypeTests" checks more of them, as `make soak` does.
ASAN_TARGETS ?= CalotypeSupportTests CalotypeCoreTests CalotypeCodecsTests CalotypeTransformsTests CalotypeLoadingTests
# Optimised, as what users run: the tests take a third of the time.
ASAN = --sanitize=address -Xswiftc -O --scratch-path .build-asan
ASAN_SETTINGS = CALOTYPE_TESTS="$(ASAN_TARGETS)"
SHELL = /bin/bash
# Without it SwiftPM writes the trait flags in random order at each planning, and compiles everything again.
export SWIFT_DETERMINISTIC_HASHING = 1
# Where it is built.
SCRATCH ?= .build

.PHONY: demo serve build-demo test clients browser test-browser test-debian13 build smallest dependents examples release install install-service format check test-tsan test-asan docs soak soak-service soak-service-mixed soak-service-attack fuzz bench bench-service bench-quality bench-counts hit-ratio setup clean

demo: build-demo
	$(SCRATCH)/release/Demo

# The image service on the pictures of the demo; the last line says where its console is. SERVE="--listen …" for settings.
DEMO = $(SCRATCH)/demo
serve: release build-demo
	$(SCRATCH)/release/Demo --draw $(DEMO)/pictures
	CALOTYPE_LOCAL_ROOT=$(DEMO)/pictures CALOTYPE_ALLOWED_SOURCES=local:/// CALOTYPE_CACHE_DIR=$(DEMO)/cache \
	    $(SCRATCH)/release/calotype serve $(SERVE)

build-demo: setup
	swift build -c release --product Demo --scratch-path $(SCRATCH)

# Which tests run beside each other is a property of the tests (decision 0345); jobs choose by target.
TEST = swift test --skip-build --scratch-path $(SCRATCH)
test: build clients
	$(TEST)

build: setup
	swift build --build-tests --scratch-path $(SCRATCH)

# The library without any of the package's traits, which needs neither the system libraries that these stand for nor
# their headers.
smallest:
	Scripts/setup smallest
	Scripts/smallest

# The packages that a program resolves which depends on this one.
dependents:
	Scripts/dependents

# The programs, with the console and pictures of the image service in headless Chromium; without Chromium, `make test` skips
# the latter.
test-browser: build browser
	$(TEST) --filter '^EndToEndTests\.'

# The same in a Debian 13 of its own, with later generations of the libraries. As root.
test-debian13:
	Scripts/test-debian13

# The examples that are packages of their own share what both depend on, which takes minutes to build. The one with another
# HTTP client builds BoringSSL, minutes more: before a release, make examples EXAMPLES="ThumbnailService AsyncHTTPClientLoader".
EXAMPLES ?= ThumbnailService
examples: setup
	Scripts/examples $(EXAMPLES)

release: setup
	swift build -c release --product calotype --scratch-path $(SCRATCH)

# The command with its manual pages and completions, for itself: it needs the system libraries and nothing of Swift's.
# DESTDIR=… puts all of it below another root, for packages.
PREFIX ?= /usr/local
share = $(DESTDIR)$(PREFIX)/share
install: setup install-service
	swift build -c release --product calotype --static-swift-stdlib --scratch-path .build-install
	install -D -s .build-install/release/calotype $(DESTDIR)$(PREFIX)/bin/calotype
	Scripts/manual .build-install/release/calotype $(share)/man/man1
	mkdir -p $(share)/bash-completion/completions $(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	.build-install/release/calotype --generate-completion-script bash >$(share)/bash-completion/completions/calotype
	.build-install/release/calotype --generate-completion-script zsh >$(share)/zsh/site-functions/_calotype
	.build-install/release/calotype --generate-completion-script fish >$(share)/fish/vendor_completions.d/calotype.fish

# The systemd units of the image service, its user, and its configuration, which may hold keys: a file that is there stays as
# it is. The templates are in share/doc, too, with alert rules and a dashboard. Nothing is enabled or started.
SYSCONFDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),/etc,$(PREFIX)/etc)
unit_files = Examples/ImageService
library = $(DESTDIR)$(PREFIX)/lib
configuration = $(DESTDIR)$(SYSCONFDIR)/calotype
templates = $(share)/doc/calotype
placed = $(library)/systemd/system/calotype.service $(library)/tmpfiles.d/calotype.conf
install-service:
	install -D -m 0644 -t $(library)/systemd/system $(unit_files)/calotype.service $(unit_files)/calotype.socket
	install -D -m 0644 $(unit_files)/sysusers.conf $(library)/sysusers.d/calotype.conf
	install -D -m 0644 $(unit_files)/tmpfiles.conf $(library)/tmpfiles.d/calotype.conf
	sed -i 's|/usr/local/bin/|$(PREFIX)/bin/|g; s|/etc/calotype|$(SYSCONFDIR)/calotype|g' $(placed)
	install -D -m 0644 -t $(templates) $(unit_files)/config.json $(unit_files)/environment Docs/service/alerts.yaml Docs/service/dashboard.json
	test -e $(configuration)/config.json || install -D -m 0640 $(unit_files)/config.json $(configuration)/config.json
	test -e $(configuration)/environment || install -D -m 0600 $(unit_files)/environment $(configuration)/environment

setup:
	@Scripts/setup

# What makes URLs for thumbor and imgproxy elsewhere; where it cannot be had, one test is skipped.
clients:
	@Scripts/setup clients

browser:
	@Scripts/setup browser

format:
	swift format format --in-place --parallel --recursive $(SWIFT_FILES)

check:
	Scripts/commit-titles
	swift format lint --strict --parallel --recursive $(SWIFT_FILES)

# The thread sanitizer does not see Synchronization.Mutex; -DTHREAD_SANITIZER puts a pthread mutex in its place. Suites that
# show a sanitizer nothing, or that it does not support, are skipped under it with their reason.
test-tsan: setup
	$(TSAN_SETTINGS) swift build --build-tests $(TSAN)
	$(TSAN_SETTINGS) TSAN_OPTIONS="suppressions=$(CURDIR)/Scripts/suppressions/tsan.supp halt_on_error=1" \
	    swift test --skip-build $(TSAN)

test-asan: setup
	$(ASAN_SETTINGS) swift build --build-tests $(ASAN)
	$(ASAN_SETTINGS) ASAN_OPTIONS=detect_leaks=0 swift test --skip-build $(ASAN)

# What takes long: fuzzing; a cache that is killed 10,000 times, a hundred million operations on each model, limits under
# load for a minute, several processes on one directory; all of it optimised, each target alone, since the time limit of a
# test includes its wait for others. Then the tests of caches and loads, repeated. Run it before an issue about them is closed.
SOAK = -Xswiftc -O --scratch-path .build-soak
SOAK_TARGETS = CalotypeCacheTests CalotypeTests EndToEndTests StressTests CalotypeCodecsTests
SOAK_TEST = CALOTYPE_SOAK=1 swift test --skip-build $(SOAK)
soak: build fuzz
	swift build --build-tests $(SOAK)
	for target in $(SOAK_TARGETS); do $(SOAK_TEST) --filter "^$$target\." || exit 1; done
	$(SOAK_TEST) --no-parallel --filter '^CalotypeSandboxTests\.'
	$(MAKE) test-asan ASAN_TARGETS="CalotypeCacheTests CalotypeTests"
	$(MAKE) soak-service
	for round in 1 2 3 4 5 6 7 8 9 10; do \
	    $(TEST) --filter '^(StressTests|CalotypeCacheTests|CalotypeTests)\.' || exit 1; \
	done

# Each decoder and parser against inputs that libFuzzer makes, FUZZ_SECONDS each. A find stops the run; its input
# is in .build-fuzz/finds and becomes a regression test. Memory is kept at hand for no thread, so that `fillings` fills all.
FUZZ_SECONDS ?= 60
FUZZ = CALOTYPE_FUZZ=1 swift build --scratch-path .build-fuzz
FUZZ_TARGETS ?= $(shell sed -n 's/^    case \([a-z].*\)$$/\1/p' Fuzz/Fuzz/FuzzTarget.swift | tr -d ',')
fuzz: setup
	$(FUZZ) --product FuzzSeeds
	$(FUZZ) --product Fuzz --sanitize=fuzzer --scratch-path .build-fuzz/instrumented
	.build-fuzz/debug/FuzzSeeds .build-fuzz/seeds
	mkdir -p .build-fuzz/finds
	for target in $(FUZZ_TARGETS); do \
	    echo "== $$target" && mkdir -p .build-fuzz/inputs/$$target && CALOTYPE_FUZZ_TARGET=$$target SWIFT_BACKTRACE=enable=no \
	    GLIBC_TUNABLES=glibc.malloc.tcache_count=0 \
	    .build-fuzz/instrumented/debug/Fuzz .build-fuzz/inputs/$$target .build-fuzz/seeds/$$target \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
	    -artifact_prefix=.build-fuzz/finds/$$target- 2>&1 | grep -aE '^(Done|stat::|==|SUMMARY|.*(Fatal error|Precondition failed))' ; \
	    [ $${PIPESTATUS[0]} -eq 0 ] || exit 1; \
	done

# Calotype against what it is compared with, in turns in one process: ROW=memory-hit for the rows whose names begin so,
# BENCH_JSON=path for the results as JSON.
bench:
	@Scripts/setup bench
	@swift build -c release --package-path Benchmarks --scratch-path .build-bench >&2
	@.build-bench/release/Bench $(if $(ROW),--row $(ROW)) $(if $(BENCH_JSON),--json $(BENCH_JSON))

# The image service beside nginx, thumbor and a bare router: SERVICE="--only hits" for some of the rows. PHOTOS is the
# folder of what is loaded.
PHOTOS ?= ../shared/photos
THUMBOR = .build-thumbor/bin/thumbor
bench-service: release
	@Scripts/setup bench-service
	@swift build -c release --package-path Benchmarks/Service --scratch-path .build-service >&2
	@python3 Benchmarks/Service/measure.py --calotype .build/release/calotype --bare .build-service/release/BareService \
	    --photos $(PHOTOS) $(if $(wildcard $(THUMBOR)),--thumbor $(THUMBOR)) $(SERVICE)

# Thumbnails beside those of libvips, Pillow and thumbor: likeness, bytes and processor time. Writes the table in
# Docs/performance.md. The peers come from PyPI; what cannot be had is left out.
QUALITY = .build-quality/bin
bench-quality: release
	@Scripts/setup bench-quality
	@$(QUALITY)/python Benchmarks/Quality/quality.py --calotype $(SCRATCH)/release/calotype --photos $(PHOTOS) \
	    --thumbor $(QUALITY)/thumbor --document Docs/performance.md

# The service under mixed load with all of its counters reconciled, then healthy clients in turns alone and beside attackers,
# SERVICE_SECONDS each. soak-service-mixed and soak-service-attack are either of them. HOSTILE is a folder of further files.
SERVICE_SECONDS ?= 600
HOSTILE ?= ../shared/hostile
SERVICE_SOAK = --calotype $(SCRATCH)/release/calotype --seconds $(SERVICE_SECONDS) --picture $(PHOTOS)/p10_exiforient_l6_2.2mp.jpg
soak-service:
	@$(MAKE) soak-service-mixed
	@$(MAKE) soak-service-attack

soak-service-mixed: release
	@python3 Benchmarks/Service/soak.py $(SERVICE_SOAK)

soak-service-attack: release
	@python3 Benchmarks/Service/attack_soak.py $(SERVICE_SOAK) --hostile $(HOSTILE)

# Allocations and system calls, which are the same on every machine; fails where there are more than there may be.
# In the folder of the release build, which has compiled most of it.
bench-counts:
	@Scripts/setup counts
	@CALOTYPE_LOCAL=1 swift build -c release --package-path Benchmarks --product Counts \
	    --scratch-path .build >&2
	@.build/release/Counts

# Hit ratios of each policy over recorded traces; JSON=1 prints one object a line.
TRACES ?= $(wildcard ../shared/traces/*.ctr.xz)
FRACTIONS ?= 0.001,0.01,0.1,0.3
hit-ratio: setup
	@swift build -c release --product HitRatio >&2
	@.build/release/HitRatio $(if $(JSON),--json) --fractions $(FRACTIONS) \
	    $(if $(CAPACITIES),--capacities $(CAPACITIES)) $(TRACES)

# The documentation of each module, and the Swift in all documents compiled.
docs: build
	Scripts/docs
	Scripts/snippets

clean:
	rm -rf .build .build-*
