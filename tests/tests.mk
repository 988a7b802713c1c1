# SPDX-License-Identifier: MIT
# Tests: every tests/unit/test_*.c and tests/scenario/test_*.c is a Check program; every tests/cli/test_*.py, the programs
# in tests/lint, tests/endian/run.sh and tests/vm/run.py speak TAP. tests/run.sh runs them all and counts.
test_sources := $(sort $(wildcard tests/unit/test_*.c tests/scenario/test_*.c))
test_programs := $(test_sources:%.c=$(BUILD)/%)
test_cflags = $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
test_libs = $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# -rdynamic: a test that defines its own ioctl() must be seen by libnvme.
$(test_programs): $(BUILD)/%: %.c $(library) tests/check.h
	@mkdir -p $(@D)
	$(CC) $(all_cflags) $(test_cflags) -iquote tests $(LDFLAGS) -rdynamic -o $@ $< $(library) $(pkg_libs) $(test_libs)

.PHONY: tests
tests: all $(test_programs)
-include $(test_programs:%=%.d)

# The longest begin first: they wait rather than compute, and the end must not wait for them.
first_tests := $(addprefix tests/scenario/test_,sanitize.py format.py selftest.py namespaces.py)
plain_tests := $(first_tests) $(filter-out $(first_tests),$(test_programs) $(sort $(wildcard tests/cli/test_*.py tests/scenario/test_*.py)))
# Whole tables of cases, by thousands of processes: not for every change of a line.
long_tests := $(addprefix tests/scenario/test_,bugs_broken.py bugs_vendor.py fw_kill.py fw_sweep.py kill.py many.py prompts.py \
	safety_table.py) $(addprefix tests/cli/test_,bench.py bench_html.py docs.py doctor_edges.py schema.py) $(BUILD)/tests/unit/test_cut $(BUILD)/tests/unit/test_pages
lint_tests := $(filter-out tests/lint/common.sh,$(sort $(wildcard tests/lint/*.sh tests/lint/*.py)))
endian_tests := tests/endian/run.sh
bench_tests := $(sort $(wildcard tests/bench/test_*.py))
vm_tests := tests/vm/run.py
run_tests = BUILD=$(BUILD) SSDCT=$(abspath $(BUILD)/ssdct) PYTHON=$(PYTHON) tests/run.sh $(BUILD)

.PHONY: test test-all lint vm check asan
test:
	@scripts/setup.sh --verify unit
	@$(MAKE) --no-print-directory tests
	@$(run_tests) $(filter-out $(long_tests),$(plain_tests))

test-all:
	@scripts/setup.sh --verify unit
	@$(MAKE) --no-print-directory tests
	@$(run_tests) $(plain_tests)

lint:
	@$(run_tests) $(lint_tests)

vm: all
	@$(run_tests) --alone $(vm_tests)

check:
	@scripts/setup.sh test
	@$(MAKE) --no-print-directory tests
	@$(run_tests) $(lint_tests) $(plain_tests) $(bench_tests) $(endian_tests) --alone $(vm_tests)

# Beside fio, in the virtual machine. Not in `make check`: a busy machine cannot keep a pace, whoever measures it.
.PHONY: vm-bench
vm-bench: all
	@$(run_tests) --alone tests/vm/run_bench.py

# Leaks are found too. A build of its own, so that the ordinary one stays as it is.
sanitize = -fsanitize=address,undefined -fno-sanitize-recover=all
asan:
	@$(MAKE) --no-print-directory BUILD=build-asan CFLAGS="-O1 -g -fno-omit-frame-pointer $(sanitize)" \
		LDFLAGS="$(LDFLAGS) $(sanitize)" test-all
