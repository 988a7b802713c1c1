# SPDX-License-Identifier: MIT
# make          build/ssdct
# make demo     installs what the build needs, builds, and shows the main job on a simulated host
# make test     unit, scenario and command-line tests (no root, no virtual machine), the longest left out
# make test-all the same with the longest
# make check    installs what the tests need, builds, and runs all tests, the virtual machine included
# make lint     formatting, static analysis, warnings of gcc and clang, include rules
# make vm       the tests in the virtual machine alone
# make asan     make test under AddressSanitizer and UBSan
# make install  DESTDIR= PREFIX=/usr/local

CC ?= cc
PKG_CONFIG ?= pkg-config
PYTHON ?= python3
PREFIX ?= /usr/local
BUILD ?= build
CFLAGS ?= -O2 -g
LIBS = libnvme jansson libarchive libxml-2.0 nettle blkid zlib liburing m

.DEFAULT_GOAL := all

warnings = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wwrite-strings \
	-Wno-missing-field-initializers
# Asked one by one, with the plain name as the answer when there is none: Debian's libnvme.pc names private dependencies
# that its package does not bring, and some versions of pkg-config then refuse to say anything.
pkg_cflags := $(foreach lib,$(LIBS),$(shell $(PKG_CONFIG) --cflags $(lib) 2>/dev/null))
pkg_libs := $(foreach lib,$(LIBS),$(or $(shell $(PKG_CONFIG) --libs $(lib) 2>/dev/null),-l$(lib:lib%=%)))
all_cflags = -std=gnu11 -D_GNU_SOURCE $(warnings) -Iinclude -Isrc -Iplugins $(pkg_cflags) $(CPPFLAGS) $(CFLAGS) -MMD -MP

serve_sources := $(sort $(wildcard src/serve/*.c))
sources := $(filter-out $(serve_sources),$(sort $(wildcard src/*.c src/*/*.c plugins/*.c plugins/*/*.c)))
objects := $(sources:%.c=$(BUILD)/%.o)
serve_objects := $(serve_sources:%.c=$(BUILD)/%.o)
library := $(BUILD)/libssdct.a

.PHONY: all
all: $(BUILD)/ssdct $(BUILD)/ssdct-sim-serve

$(BUILD)/ssdct: $(BUILD)/src/main.o $(library)
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(pkg_libs)

# A program of its own: the one that runs as root on real drives has no server in it.
$(BUILD)/ssdct-sim-serve: $(serve_objects) $(library)
	$(CC) $(CFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(pkg_libs)

$(library): $(filter-out $(BUILD)/src/main.o,$(objects))
	@rm -f $@
	$(AR) rcs $@ $^

# Says what is missing and stops, instead of a page of errors about headers; installs nothing.
$(objects) $(serve_objects): | $(BUILD)/.packages
$(BUILD)/.packages:
	@scripts/setup.sh --verify build
	@mkdir -p $(BUILD) && touch $@

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(all_cflags) -c -o $@ $<

include tests/tests.mk

.PHONY: demo
demo:
	@scripts/setup.sh build
	@$(MAKE) --no-print-directory all
	@scripts/demo.sh $(BUILD)/ssdct

# The manual of all keys, from the program itself; left out where there is no Python to write it.
.PHONY: install
install: all
	install -D -m 0755 $(BUILD)/ssdct $(DESTDIR)$(PREFIX)/sbin/ssdct
	install -D -m 0755 $(BUILD)/ssdct-sim-serve $(DESTDIR)$(PREFIX)/libexec/ssdct/ssdct-sim-serve
	mkdir -p $(BUILD)/man && cp man/*.[1-8] $(BUILD)/man/
	if $(PYTHON) -c '' 2>/dev/null; then \
		$(PYTHON) scripts/fields.py $(BUILD)/ssdct >$(BUILD)/man/ssdct-fields.7 || exit 1; fi
	for page in $(BUILD)/man/*.[1-8]; do \
		install -D -m 0644 $$page $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$${page##*/} || exit 1; done

.PHONY: clean
clean:
	rm -rf $(BUILD)

-include $(objects:.o=.d) $(serve_objects:.o=.d)
