# SPDX-License-Identifier: MIT
# Tests: every tests/unit/test_*.c and tests/scenario/test_*.c is a Check program; every tests/cli/*.py a script that speaks TAP.
test_sources := $(sort $(wildcard tests/unit/test_*.c tests/scenario/test_*.c))
test_programs := $(test_sources:%.c=$(BUILD)/%)
test_cflags = $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
test_libs = $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# -rdynamic: a test that defines its own ioctl() must be seen by libnvme.
$(test_programs): $(BUILD)/%: %.c $(library) tests/check.h
	@mkdir -p $(@D)
	$(CC) $(all_cflags) $(test_cflags) -Itests $(LDFLAGS) -rdynamic -o $@ $< $(library) $(pkg_libs) $(test_libs)

.PHONY: tests
tests: $(test_programs) $(BUILD)/ssdct
-include $(test_programs:%=%.d)

.PHONY: test
test:
	@scripts/setup.sh --verify test
	@$(MAKE) --no-print-directory tests
	@SSDCT=$(abspath $(BUILD)/ssdct) PYTHON=$(PYTHON) tests/run.sh $(BUILD) $(test_programs) $(sort $(wildcard tests/cli/test_*.py))
