# Thin names over swift commands; the continuous integration calls the same targets.
# Each target installs what is missing first (Scripts/setup does nothing where nothing is).

SWIFT_FILES = Package.swift Sources Tests Examples
TSAN = --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build-tsan
ASAN = --sanitize=address --scratch-path .build-asan
QUIET = 2> >(grep -v 'prohibited flag(s): -pthread' >&2)
SHELL = /bin/bash

.PHONY: demo test build release format check test-tsan test-asan docs soak setup clean

demo: release
	.build/release/calotype demo

test: build
	swift test --skip-build $(QUIET)

build: setup
	swift build --build-tests $(QUIET)

release: setup
	swift build -c release --product calotype $(QUIET)

setup:
	@Scripts/setup

format:
	swift format format --in-place --parallel --recursive $(SWIFT_FILES)

check:
	swift format lint --strict --parallel --recursive $(SWIFT_FILES)

# The thread sanitizer does not see Synchronization.Mutex; -DTHREAD_SANITIZER puts a pthread mutex in its place.
test-tsan: setup
	swift build --build-tests $(TSAN) $(QUIET)
	TSAN_OPTIONS="suppressions=$(CURDIR)/Scripts/suppressions/tsan.supp halt_on_error=1" \
	    swift test --skip-build $(TSAN) --skip HouseRules $(QUIET)

# Without the code that needs an HTTP client: the C boundary is what this job is for.
test-asan: setup
	CALOTYPE_LOCAL=1 swift build --build-tests $(ASAN) $(QUIET)
	ASAN_OPTIONS=detect_leaks=0 CALOTYPE_LOCAL=1 swift test --skip-build $(ASAN) --skip HouseRules $(QUIET)

# What takes long: a cache that is killed 500 times, two processes on one directory, limits under load, each
# repeated. Run it before an issue about them is closed.
RACES = DiskSoakTests|SharedDirectoryTests|MemoryCacheRaceTests|ExactlyOnceTests|SharedWorkTests
soak: build
	CALOTYPE_KILLS=500 swift test --skip-build --filter DiskCrashTests $(QUIET)
	for round in 1 2 3 4 5 6 7 8 9 10; do \
	    swift test --skip-build --filter '$(RACES)' $(QUIET) || exit 1; \
	done

docs: setup
	Scripts/docs

clean:
	rm -rf .build .build-*
