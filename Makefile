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
# Of the places where systemd looks for a user's units this is the one that is right below /usr, /usr/local and ~/.local.
unitdir := $(prefix)/share/systemd/user

program := .build/release/bgfetch
units := examples/bgfetch.service examples/bgfetch-transfers.service examples/bgfetch-watch.service
# Those that take pushes, of which only the socket is enabled.
pushes := examples/bgfetch-push.socket examples/bgfetch-push@.service
examples := $(wildcard examples/*.yaml) examples/crontab examples/tmux.conf examples/waybar.jsonc \
  $(units) examples/bgfetch.timer $(pushes)

# How long each target is fuzzed.
export FUZZ_SECONDS ?= 60

# More people, or others: make bench-habits BENCH='--seed 7 --people 50'
BENCH ?= --seed 1 --svg doc/habits.svg

.PHONY: help setup build demo test bench-habits bench-reading fuzz sanitize lint install uninstall clean

help:
	@echo 'make setup      install the Debian packages that are missing for building and testing'
	@echo 'make build      build the release program, $(program)'
	@echo 'make demo       show what it does, on a small site of its own, in a few seconds'
	@echo 'make test       build and run all tests'
	@echo 'make bench-habits  measure what adapt: habits gains, on made-up people'
	@echo 'make bench-reading  measure what documents made to hurt cost'
	@echo 'make fuzz       run each libFuzzer target for FUZZ_SECONDS ($(FUZZ_SECONDS))'
	@echo 'make sanitize   run the tests under the address and the thread sanitizer'
	@echo 'make lint       check the format of the sources and the manual pages'
	@echo 'make install    install below PREFIX ($(PREFIX)); DESTDIR is put before it'
	@echo 'make uninstall  remove what make install installed'
	@echo 'make clean      remove what was built'

setup:
	@scripts/setup

build: setup
	$(SWIFT) build -c release --product bgfetch --static-swift-stdlib -Xlinker -s --disable-local-rpath \
	  -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now

demo: build
	@scripts/demo

# Many tests run the program: hundreds of processes at once would starve one another into their time limits.
test: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
test: setup
	@scripts/setup desktop || echo 'the tests of popups are left out'
	$(SWIFT) build --build-tests
	@SWIFT='$(SWIFT)' scripts/run-tests

bench-habits: setup
	$(SWIFT) build -c release --product bench-habits
	.build/release/bench-habits $(BENCH)

bench-reading:
	@scripts/bench-reading

fuzz:
	@scripts/fuzz

# What is built under a sanitizer has a place of its own; a crash must not leave swift-backtrace behind, which hangs.
sanitize: export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 4
sanitize: export SWIFT_BACKTRACE := enable=no
sanitize: setup
	$(SWIFT) test --sanitize=address --scratch-path .build-asan --disable-xctest
	$(SWIFT) test --sanitize=thread --scratch-path .build-tsan --disable-xctest

lint:
	$(SWIFT) format lint --strict -r Sources Tests Package.swift
	mandoc -Tlint -W warning man/bgfetch.1 man/bgfetch.yaml.5

install: build
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(mandir)/man5' \
	  '$(DESTDIR)$(docdir)/examples/system' '$(DESTDIR)$(docdir)/examples/desktop' \
	  '$(DESTDIR)$(docdir)/examples/push' '$(DESTDIR)$(unitdir)' \
	  '$(DESTDIR)$(bashdir)' '$(DESTDIR)$(zshdir)' '$(DESTDIR)$(fishdir)'
	install -m 755 $(program) '$(DESTDIR)$(bindir)/bgfetch'
	install -m 644 man/bgfetch.1 '$(DESTDIR)$(mandir)/man1/'
	install -m 644 man/bgfetch.yaml.5 '$(DESTDIR)$(mandir)/man5/'
	install -m 644 README.md CHANGELOG.md LICENSE '$(DESTDIR)$(docdir)/'
	install -D -m 644 doc/habits.svg '$(DESTDIR)$(docdir)/doc/habits.svg'
	install -m 644 $(examples) '$(DESTDIR)$(docdir)/examples/'
	install -m 644 examples/desktop/*.yaml '$(DESTDIR)$(docdir)/examples/desktop/'
	install -m 755 examples/desktop/notify-open '$(DESTDIR)$(docdir)/examples/desktop/'
	install -m 644 examples/system/*.service examples/system/*.socket '$(DESTDIR)$(docdir)/examples/system/'
	install -m 644 examples/push/webhook.json '$(DESTDIR)$(docdir)/examples/push/'
	install -m 755 examples/push/websub '$(DESTDIR)$(docdir)/examples/push/'
	for unit in $(notdir $(units) $(filter %.service,$(pushes))); do \
	  sed 's,^ExecStart=/usr/local/bin,ExecStart=$(bindir),' "examples/$$unit" > "$(DESTDIR)$(unitdir)/$$unit" && \
	  chmod 644 "$(DESTDIR)$(unitdir)/$$unit" || exit 1; done
	install -m 644 examples/bgfetch.timer $(filter %.socket,$(pushes)) '$(DESTDIR)$(unitdir)/'
	$(program) --generate-completion-script bash > '$(DESTDIR)$(bashdir)/bgfetch'
	$(program) --generate-completion-script zsh > '$(DESTDIR)$(zshdir)/_bgfetch'
	$(program) --generate-completion-script fish > '$(DESTDIR)$(fishdir)/bgfetch.fish'
	chmod 644 '$(DESTDIR)$(bashdir)/bgfetch' \
	  '$(DESTDIR)$(zshdir)/_bgfetch' '$(DESTDIR)$(fishdir)/bgfetch.fish'

uninstall:
	rm -f '$(DESTDIR)$(bindir)/bgfetch' '$(DESTDIR)$(mandir)/man1/bgfetch.1' \
	  '$(DESTDIR)$(mandir)/man5/bgfetch.yaml.5' '$(DESTDIR)$(unitdir)/bgfetch.service' \
	  '$(DESTDIR)$(unitdir)/bgfetch-transfers.service' '$(DESTDIR)$(unitdir)/bgfetch-watch.service' \
	  '$(DESTDIR)$(unitdir)/bgfetch.timer' \
	  '$(DESTDIR)$(unitdir)/bgfetch-push.socket' '$(DESTDIR)$(unitdir)/bgfetch-push@.service' \
	  '$(DESTDIR)$(bashdir)/bgfetch' \
	  '$(DESTDIR)$(zshdir)/_bgfetch' '$(DESTDIR)$(fishdir)/bgfetch.fish'
	rm -rf '$(DESTDIR)$(docdir)'

clean:
	$(SWIFT) package clean
	rm -rf .build
