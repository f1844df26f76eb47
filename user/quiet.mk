# SPDX-License-Identifier: GPL-2.0-only
# A build prints one line per archive and program. V=1 prints the commands, -s nothing.
ifneq ($(V),1)
ifeq ($(origin MEMPROF_SAY),undefined)
export MEMPROF_SAY := $(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,echo)
endif
MAKEFLAGS += -s
endif
MEMPROF_SAY ?= :
say = @$(MEMPROF_SAY) "  $(1)	$(patsubst $(abspath $(O))/%,%,$(abspath $@))"
