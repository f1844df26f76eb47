# SPDX-License-Identifier: GPL-2.0-only
#
# make             the module (for KDIR, by default the running kernel, when its
#                  headers are there), memprofctl, the tests (after setup)
# make tests       the test programs
# make tests-arm64  user space and the tests, for a guest of arm64
# make python      the Python package, a wheel in $(O)/python/dist (PYTHON)
# make demo        sets up, then shows memprof on redis and python in a guest
# make check       sets up, then runs every test on the oldest kernel and the newest
#                  (or SUITES)
# make check T=t_rss  only tests/t_rss.sh (or T=rss); T=test-heap: a unit test;
#                  T=t_alloc: a test of the guest, in KERNEL (6.12); t_rss, which
#                  the guest has too, runs there where KERNEL is given. With
#                  T_ONLY='peak' only the checks of a shell suite whose name matches
# make check KERNEL=7.3  the module's tests on one kernel: a name of scripts/vm/run, or
#                  the folder of a kernel that you built
# make check-alone every check of the host's shell suites (or SUITES) by itself
# make check-canary  breaks the module on purpose and expects red
# make check-debug   builds three kernels that look for bugs (KASAN and lockdep,
#                  PREEMPT_RT, KCSAN; once) and runs the module's tests in each
# make fuzz        hostile files, answers and messages: the same runs each time, or
#                  FUZZ_SECONDS of each target
# make soak        looks for faults by chance for SOAK_MINUTES (60): fuzzing, and
#                  random load on the module in every kernel; ends with a table. Then
#                  the suites that take too long for `make check` (Debian 13, arm64), and
#                  soak-agent
# make soak-agent  the agent for SOAK_MINUTES (120) beside a leak, churn and 200 starts a
#                  second: what it uses stays flat, and the leak is all that it reports
# make bench-probes  what following allocations costs, as ratios
# make bench-events  what following a pair of malloc and free costs, in instructions
# make bench-core  what reading a recording costs, as ratios
# make bench-symbols  what functions and lines of addresses cost, as ratios
# make bench-preload  what the in-process sampler costs, as ratios
# make bench-inject  what it costs in a running program, beside other ways, as ratios
# make bench-machine  what services and a build pay while everything is followed, as ratios
# make bench-resident  what a look at the pages of a million blocks costs, as ratios
# make bench-agent  what the agent costs with 300 processes: CPU and memory, beside their bounds
# make bench-python  what it costs in Python programs, beside tracemalloc and others
# make tsan        the sampler's races, with ThreadSanitizer
# make install     memprofctl, man pages, completion (PREFIX, DESTDIR), and what
#                  perf script finds in PERF_CORE (none where that is empty); the
#                  module: make modules_install
# make uninstall   removes just that
# make install_service  the agent's unit for systemd (UNITDIR), which nothing starts by
#                  itself, and its configuration, where there is none (for packages, too)
# make dkms_install  the module's sources, with which DKMS builds it for each kernel, and
#                  the files with which boots load it (for packages)
# make dist        a tarball of the last commit, the same for the same commit
# make deb         Debian packages of this tree, in $(O)/deb (dpkg-checkbuilddeps
#                  names what that needs)
#
# V=1 shows the commands of a build.
MAKEFLAGS += --no-print-directory
# The kernel's headers may name a folder of their own for O=: ours must not reach
# them. All others are given theirs below.
MAKEOVERRIDES := $(filter-out O=%,$(MAKEOVERRIDES))
O ?= $(CURDIR)/build
KDIR ?= /lib/modules/$(shell uname -r)/build
include user/quiet.mk

CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/memprof
KSELFTEST ?= $(CACHE)/linux-6.12/tools/testing/selftests

CC ?= gcc
PYTHON ?= /usr/bin/python3
INSTALL ?= install
PREFIX ?= /usr/local
UNITDIR ?= $(if $(filter /usr,$(PREFIX)),/usr/lib,/etc)/systemd/system

# Where the distribution's perf looks for scripts and filters.
PERF_CORE ?= /usr/lib/perf-core
PERF_HEADER ?= /usr/include/perf/perf_dlfilter.h
perf_dir = $(DESTDIR)$(PERF_CORE)

# Tests need what setup fetches.
all: $(if $(wildcard $(KDIR)/include/generated/utsrelease.h),module) user perf \
     $(if $(wildcard $(KSELFTEST)/kselftest_harness.h),tests)

# The kernel's build writes beside the sources: each kernel gets a folder of
# links to them. Sections have one implementation, for user space too.
sections := $(addprefix $(CURDIR)/user/sections/,sections.c sections.h \
	section-record.c section-record.h)
kernelrelease = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h)
kmod_dir = $(O)/kmod/$(kernelrelease)
kbuild = $(MAKE) -C $(KDIR) M=$(kmod_dir) \
	 MEMPROF_INCLUDE=$(CURDIR)/include $(KFLAGS)

module:
	@[ -r "$(KDIR)/include/generated/utsrelease.h" ] || \
	{ echo "memprof: no kernel headers at $(KDIR) (install linux-headers, or set KDIR=)" >&2; exit 1; }
	@mkdir -p $(kmod_dir)
	@cp -rsfT $(CURDIR)/kmod $(kmod_dir)
	@ln -sf $(sections) $(kmod_dir)
	@find $(kmod_dir) -xtype l -delete
	$(kbuild) modules
	@$(MEMPROF_SAY) "  KMOD	$(patsubst $(O)/%,%,$(kmod_dir))/memprof.ko"

modules_install: module
	$(kbuild) modules_install

kernelrelease:
	@echo $(kernelrelease)

user:
	$(MAKE) -C user O=$(O)/user

# The filter, where perf's header for it is installed.
perf: $(if $(wildcard $(PERF_HEADER)),$(O)/perf/memprof-filter.so)

$(O)/perf/memprof-filter.so: scripts/perf/memprof-filter.c Makefile
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -Wall -Wextra $(or $(CFLAGS),-O2 -g) -fPIC -shared \
		$(LDFLAGS) -o $@ $<

# The wheel, with libmemprof in it. Debian's names: python3-dev, python3-setuptools and
# python3-wheel. setuptools writes beside the sources: it gets copies.
python_dir ?= $(O)/python
python:
	$(MAKE) -C user O=$(O)/user library
	@rm -rf $(python_dir)/src $(python_dir)/dist
	@mkdir -p $(python_dir)/dist
	@cp -r $(CURDIR)/python $(python_dir)/src
	@find $(python_dir)/src -name __pycache__ -prune -exec rm -rf {} +
	@cp $(O)/user/libmemprof/libmemprof.so $(python_dir)/src/memprof/libmemprof.so.0
	cd $(python_dir)/src && PYTHONWARNINGS=ignore MEMPROF_TOP=$(CURDIR) CC="$(CC)" \
		$(PYTHON) setup.py -q bdist_wheel -d $(python_dir)/dist
	@$(MEMPROF_SAY) "  WHEEL	$$(echo $(patsubst $(O)/%,%,$(python_dir))/dist/)"

tests: user perf
	$(MAKE) -C user O=$(O)/user tests
	$(MAKE) -C tests/guest O=$(O)

# All of user space and its tests for arm64, with its packages that setup fetched.
arm64_root := $(CACHE)/arm64
arm64_rust := $(CACHE)/arm64-rust/usr
arm64 := CC="aarch64-linux-gnu-gcc --sysroot=$(arm64_root)" \
	CXX="aarch64-linux-gnu-g++ --sysroot=$(arm64_root)" \
	AR=aarch64-linux-gnu-ar \
	PKG_CONFIG="env PKG_CONFIG_SYSROOT_DIR=$(arm64_root) \
		PKG_CONFIG_LIBDIR=$(arm64_root)/usr/lib/aarch64-linux-gnu/pkgconfig \
		pkg-config" \
	LIBPERF=$(CACHE)/arm64-libperf \
	MUSL_GCC="aarch64-linux-gnu-gcc -specs $(arm64_root)/musl-gcc.specs" \
	RUSTC="env LD_LIBRARY_PATH=$(arm64_rust)/lib/x86_64-linux-gnu \
		$(arm64_rust)/bin/rustc --target aarch64-unknown-linux-gnu \
		-C linker=aarch64-linux-gnu-gcc"
tests-arm64:
	$(MAKE) -C user $(arm64) O=$(O)/arm64/user all tests
	$(MAKE) -C tests/guest $(arm64) O=$(O)/arm64
	$(MAKE) $(arm64) O=$(O)/arm64 perf \
		PERF_HEADER=$(arm64_root)/usr/include/perf/perf_dlfilter.h

setup:
	@scripts/setup

demo: setup user
	@demo/run

check: setup
	@$(if $(T),KERNEL=$(KERNEL) scripts/check-one $(T),$(if $(KERNEL),\
		KERNEL=$(KERNEL) scripts/check kernel,scripts/check $(SUITES)))

check-alone: setup tests
	@scripts/check-alone $(SUITES)

check-canary: setup
	@scripts/check-canary

check-debug: setup
	@scripts/check debug debug-rt debug-kcsan

bench-probes: setup user
	@echo "On this machine's kernel, without the module:"
	@tests/bench/probes
	@echo
	@echo "In a guest, with it (its traps are cheap, its instructions are not):"
	@scripts/vm/run -- env N=3000 ROUNDS=3 tests/bench/probes

fuzz: setup user
	@$(MAKE) -C tests/fuzz O=$(O) run

soak: setup
	@scripts/soak
	@$(if $(SOAK_PARTS),,scripts/check more)
	@$(if $(SOAK_PARTS),,SOAK_MINUTES=120 tests/soak-agent)

soak-agent: setup user
	@tests/soak-agent

# Instructions, which the guest of arm64 counts one by one: no clock is needed.
bench-events: setup tests-arm64
	@scripts/vm/run --kernel 6.1-arm64 --memory 1024 -- \
		build/arm64/tests/guest/events

bench-core: setup user
	@tests/bench/core

bench-symbols: setup user
	@$(MAKE) -s -C user O=$(O)/user bench
	@tests/bench/symbols

bench-preload: setup user
	@tests/bench/preload

bench-inject: setup user
	@tests/bench/inject

bench-machine: setup user
	@tests/bench/machine

bench-resident: setup user
	@tests/bench/resident

bench-agent: setup user
	@tests/bench/agent

bench-python: setup user
	@tests/bench/python

VERSION := $(shell cat VERSION)

dist:
	@mkdir -p $(O)
	git archive --prefix=memprof-$(VERSION)/ HEAD | gzip -n9 >$(O)/memprof-$(VERSION).tar.gz

deb:
	rm -rf $(O)/deb
	mkdir -p $(O)/deb/memprof-$(VERSION)
	tar -c --exclude=./build --exclude=./.git . | tar -xC $(O)/deb/memprof-$(VERSION)
	cd $(O)/deb/memprof-$(VERSION) && env -u MAKEFLAGS \
		dpkg-buildpackage -b -us -uc
	rm -rf $(O)/deb/memprof-$(VERSION)

tsan: setup
	$(MAKE) -C user O=$(O)/user tsan

install: user perf
	$(MAKE) -C user O=$(O)/user install
ifneq ($(PERF_CORE),)
	$(INSTALL) -d $(perf_dir)/scripts/python/bin $(perf_dir)/dlfilters
	$(INSTALL) -m 644 scripts/perf/memprof.py $(perf_dir)/scripts/python
	$(INSTALL) -m 755 scripts/perf/bin/memprof-record \
		scripts/perf/bin/memprof-report $(perf_dir)/scripts/python/bin
	$(if $(wildcard $(PERF_HEADER)),$(INSTALL) -m 644 \
		$(O)/perf/memprof-filter.so $(perf_dir)/dlfilters)
endif

# The unit names the command by its whole path.
install_service:
	$(INSTALL) -d $(DESTDIR)$(UNITDIR) $(DESTDIR)/etc/memprof
	sed 's|/usr/local/bin|$(PREFIX)/bin|' contrib/memprof.service \
		>$(DESTDIR)$(UNITDIR)/memprof.service
	[ -e $(DESTDIR)/etc/memprof/agent.conf ] || \
		$(INSTALL) -m 644 contrib/agent.conf $(DESTDIR)/etc/memprof

uninstall:
	$(MAKE) -C user uninstall
ifneq ($(PERF_CORE),)
	rm -f $(perf_dir)/scripts/python/memprof.py \
		$(perf_dir)/scripts/python/bin/memprof-record \
		$(perf_dir)/scripts/python/bin/memprof-report \
		$(perf_dir)/dlfilters/memprof-filter.so
endif

dkms_dir = $(DESTDIR)/usr/src/memprof-$(VERSION)

dkms_sources:
	$(INSTALL) -d $(dkms_dir)
	cp -r --parents Kbuild kmod include/uapi include/memprof \
		user/sections/sections.[ch] user/sections/section-record.[ch] \
		$(dkms_dir)

dkms_install: dkms_sources
	sed 's/#MODULE_VERSION#/$(VERSION)/' debian/memprof-dkms.dkms >$(dkms_dir)/dkms.conf
	$(INSTALL) -D -m 644 debian/memprof.conf \
		$(DESTDIR)/usr/lib/modules-load.d/memprof.conf
	$(INSTALL) -D -m 644 debian/memprof-dkms.sysusers \
		$(DESTDIR)/usr/lib/sysusers.d/memprof.conf
	$(INSTALL) -D -m 644 debian/memprof-dkms.memprof.udev \
		$(DESTDIR)/usr/lib/udev/rules.d/60-memprof.rules

clean:
	rm -rf $(O)

.PHONY: all module modules_install kernelrelease user perf python tests tests-arm64 \
	setup dist deb dkms_sources dkms_install install_service demo check check-alone check-canary check-debug fuzz soak soak-agent bench-probes bench-events bench-core bench-symbols \
	bench-preload bench-inject bench-machine bench-resident bench-agent bench-python tsan install uninstall clean
