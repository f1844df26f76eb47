# SPDX-License-Identifier: GPL-2.0-only
#
# make             the module (for KDIR, by default the running kernel, when its
#                  headers are there), memprofctl and the tests
# make demo        sets up, then shows memprof on redis and python in a guest
# make check       sets up, then runs every test
MAKEFLAGS += --no-print-directory
O ?= $(CURDIR)/build
KDIR ?= /lib/modules/$(shell uname -r)/build

all: $(if $(wildcard $(KDIR)/Makefile),module)

# The kernel's build writes beside the sources: each kernel gets a folder of
# links to them.
kernelrelease = $(shell cat $(KDIR)/include/config/kernel.release)
kmod_dir = $(O)/kmod/$(kernelrelease)

module:
	@[ -r "$(KDIR)/include/config/kernel.release" ] || \
	{ echo "memprof: no kernel headers at $(KDIR) (install linux-headers, or set KDIR=)" >&2; exit 1; }
	@mkdir -p $(kmod_dir)
	@cp -rsfT $(CURDIR)/kmod $(kmod_dir)
	@find $(kmod_dir) -xtype l -delete
	$(MAKE) -C $(KDIR) O= M=$(kmod_dir) MEMPROF_INCLUDE=$(CURDIR)/include \
		$(KFLAGS) modules

kernelrelease:
	@echo $(kernelrelease)

clean:
	rm -rf $(O)

.PHONY: all module kernelrelease clean
