# The developer's and packager's way in; `make help` lists the targets.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift

# Not every shell expands the ~ of PREFIX=~/.local.
prefix := $(patsubst ~%,$(HOME)%,$(PREFIX))
bindir := $(prefix)/bin
mandir := $(prefix)/share/man
docdir := $(prefix)/share/doc/bgfetch
# Where each shell looks for completions by itself, zsh only below /usr and /usr/local.
bashdir := $(prefix)/share/bash-completion/completions
zshdir := $(prefix)/share/zsh/site-functions
fishdir := $(prefix)/share/fish/vendor_completions.d
# Where systemd looks for units. Below a home directory it looks for those of the user only.
ifneq ($(filter /usr /usr/local,$(prefix)),)
userunitdir := $(prefix)/lib/systemd/user
systemunitdir := $(prefix)/lib/systemd/system
else
userunitdir := $(prefix)/share/systemd/user
systemunitdir :=
endif

# With its memory in large pages the compiler takes a tenth less time (glibc's manual, Memory Allocation Tunables).
compile := GLIBC_TUNABLES=glibc.malloc.hugetlb=1 $(SWIFT) build

program := .build/release/bgfetch
# How the program is built for release; other options than last time build everything again. For incremental code the compiler
# puts a hash into each object, and into the program, that depends on the path of the object. The metadata of a type is found by
# address: by name, the program would look through the conformances of all types whenever it needs a type for the first time.
release_build = $(compile) -c release --static-swift-stdlib -debug-info-format none -Xlinker -s --disable-local-rpath \
  -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
  -Xlinker -L$(CURDIR)/.build/static -Xlinker --no-export-dynamic \
  --use-integrated-swift-driver -Xswiftc -disable-cmo -Xswiftc -emit-module-separately-wmo \
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
# Options for the debug build; other ones than last time build everything again.
DEBUG_OPTIONS ?=
debug_build := $(compile) $(DEBUG_OPTIONS)

# Everything below these is installed, so that nothing is forgotten.
documents := README.md CHANGELOG.md SECURITY.md LICENSE $(sort $(shell find doc examples -type f))
manuals := $(wildcard man/*)
user_units := $(wildcard examples/*.service examples/*.socket examples/*.timer)
# The timer is the same for a user and for the machine.
system_units := $(wildcard examples/system/*) examples/bgfetch.timer

# How long each target is fuzzed.
export FUZZ_SECONDS ?= 60

# More people, or others: make bench-habits BENCH='--seed 7 --people 50'
BENCH ?= --seed 1

# More rounds, or one case: make bench COSTS='--rounds 9 --only idle'
COSTS ?= --svg doc/costs.svg

.PHONY: help setup build demo demo-fleet test bench bench-habits fuzz sanitize lint install uninstall deb tarball wheel release test-packages clean

help:
	@echo 'make setup      install the Debian packages that are missing for building, and nothing else'
	@echo 'make build      do that, and build the release program, $(program)'
	@echo 'make demo       show what it does, on a small site of its own, in a few seconds'
	@echo 'make demo-fleet show four machines that share one state, one killed and one frozen, in a minute'
	@echo 'make test       build and run all tests'
	@echo 'make bench-habits  measure what adapt gains, on made-up people and publishers'
	@echo 'make bench      measure what runs cost, beside curl doing the same work'
	@echo 'make fuzz       run each libFuzzer target for FUZZ_SECONDS ($(FUZZ_SECONDS))'
	@echo 'make sanitize   run the tests under the address and the thread sanitizer'
	@echo 'make lint       check the format of the sources and the manual pages'
	@echo 'make install    install what was built below PREFIX ($(PREFIX)); DESTDIR is put before it'
	@echo 'make uninstall  remove what make install installed'
	@echo 'make deb        make a Debian package of the release program, in .build/packages'
	@echo 'make tarball    make an archive of it for any Linux of this architecture, in .build/packages'
	@echo 'make wheel      make a wheel of it, which pipx installs, in .build/packages'
	@echo 'make release    make all that a version is published with, and its checksums, in .build/packages'
	@echo 'make test-packages  do that, then install, use, upgrade and remove each in fresh Debian systems'
	@echo 'make clean      remove what was built'

# Each task needs packages of its own; these are the ones for building.
setup:
	@scripts/setup build

# A module is compiled as soon as the interfaces of those that it imports are written: both cores work all the time, which
# takes three fifths of the time. Optimisation across modules would need their code first, and made no run cheaper.
# The C modules come first: the interfaces of Machine and Store wait for their files, which would queue behind Core. Debug
# information would be made and then stripped, which takes a twentieth of the time.
# SwiftPM with the integrated driver compiles everything again even if nothing has changed: make decides whether it must.
# The C++ library is linked in if a compiler knows where it is, and no symbol is exported for it: to load it takes a fifth of a
# run with nothing due.
build: $(program)

$(program): Makefile Package.swift $(shell find Sources) | setup
	@mkdir -p .build/static
	@for compiler in c++ clang cc; do \
	  library=$$($$compiler -print-file-name=libstdc++.a 2>/dev/null) && test -f "$$library" \
	    && ln -sf "$$library" .build/static/libstdc++.a && break; done; true
	$(release_build) --target CLate
	$(release_build) --product bgfetch
	@touch $@

# The debug program is built in half the time.
demo:
	@scripts/setup build demo
	$(debug_build) --product bgfetch
	@BGFETCH=$(CURDIR)/.build/debug/bgfetch scripts/demo

demo-fleet:
	@scripts/setup build demo postgres
	$(debug_build) --product bgfetch
	@BGFETCH=$(CURDIR)/.build/debug/bgfetch scripts/with-postgres scripts/demo-fleet

# Many tests run the program: the one that is built with them, or BGFETCH_TEST_PROGRAM, as CI does with the released one.
# The tests of the store run on files, and again on a server, beside all others: what waits and what works share the time.
test:
	@scripts/setup build tests
	@scripts/setup desktop || echo 'the tests of popups and conditions are left out'
	$(debug_build) --build-tests
	@scripts/run-tests --filter StoreTests
	@scripts/with-s3 scripts/with-postgres scripts/run-tests

bench-habits: setup
	$(SWIFT) build -c release --product bench-habits
	.build/release/bench-habits $(BENCH)
	scripts/changelog-times | .build/release/bench-habits --times --interval 60 --interval 1440

bench: build
	@scripts/setup bench
	$(SWIFT) build -c release --product bench-costs
	.build/release/bench-costs $(COSTS)

fuzz:
	@scripts/fuzz

# What is built under a sanitizer has a place of its own; a crash must not leave swift-backtrace behind, which hangs.
sanitize: export SWIFT_BACKTRACE := enable=no
sanitize: export BGFETCH_TEST_SANITIZED := 1
sanitize: setup
	@scripts/setup tests
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build-asan
	@scripts/run-tests --scratch-path .build-asan
	$(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan
	@scripts/run-tests --scratch-path .build-tsan

lint:
	@scripts/setup lint
	$(SWIFT) format lint --strict --parallel -r Sources Tests Package.swift
	mandoc -Tlint -W warning $(manuals)

# Root installs what another user has built: this neither builds nor installs packages.
install:
	@test -x $(program) || { echo 'make install: nothing is built yet; run make build first' >&2; exit 1; }
	install -D -m 755 $(program) '$(DESTDIR)$(bindir)/bgfetch'
	for page in $(manuals); do \
	  install -D -m 644 "$$page" "$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}" || exit 1; done
	for file in $(documents); do \
	  mode=644; test ! -x "$$file" || mode=755; \
	  install -D -m $$mode "$$file" "$(DESTDIR)$(docdir)/$$file" || exit 1; done
	install -d '$(DESTDIR)$(userunitdir)' $(if $(systemunitdir),'$(DESTDIR)$(systemunitdir)') \
	  '$(DESTDIR)$(bashdir)' '$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install_units() { \
	  directory=$$1; shift; \
	  for unit; do \
	    sed 's,^ExecStart=/usr/local/bin,ExecStart=$(bindir),' "$$unit" > "$$directory/$${unit##*/}" && \
	    chmod 644 "$$directory/$${unit##*/}" || return 1; done; }; \
	  install_units '$(DESTDIR)$(userunitdir)' $(user_units) \
	  $(if $(systemunitdir),&& install_units '$(DESTDIR)$(systemunitdir)' $(system_units))
	$(program) --generate-completion-script bash > '$(DESTDIR)$(bashdir)/bgfetch'
	$(program) --generate-completion-script zsh > '$(DESTDIR)$(zshdir)/_bgfetch'
	$(program) --generate-completion-script fish > '$(DESTDIR)$(fishdir)/bgfetch.fish'
	chmod 644 '$(DESTDIR)$(bashdir)/bgfetch' \
	  '$(DESTDIR)$(zshdir)/_bgfetch' '$(DESTDIR)$(fishdir)/bgfetch.fish'

uninstall:
	rm -f '$(DESTDIR)$(bindir)/bgfetch' '$(DESTDIR)$(bashdir)/bgfetch' \
	  '$(DESTDIR)$(zshdir)/_bgfetch' '$(DESTDIR)$(fishdir)/bgfetch.fish'
	for page in $(manuals); do rm -f "$(DESTDIR)$(mandir)/man$${page##*.}/$${page##*/}"; done
	for unit in $(notdir $(user_units)); do rm -f "$(DESTDIR)$(userunitdir)/$$unit"; done
	$(if $(systemunitdir),for unit in $(notdir $(system_units)); do \
	  rm -f "$(DESTDIR)$(systemunitdir)/$$unit"; done)
	rm -rf '$(DESTDIR)$(docdir)'

deb tarball wheel: build
	@scripts/setup package
	@scripts/package $@

# What a version is published with, made anew.
release: build
	@scripts/setup package
	@rm -rf .build/packages
	@scripts/package deb tarball wheel source list notes sums

test-packages: release
	@scripts/test-packages bookworm trixie

clean:
	$(SWIFT) package clean
	rm -rf .build
