# SPDX-License-Identifier: GPL-2.0-only
#
# The rooms of user space, and for each room the rooms below it. A room is one static
# archive. Its files see only the headers of the room itself and of the rooms
# below it: the -I paths come from this list, and so does tests/rooms.py, which
# checks the includes and the calls. Documentation/design.rst has the picture.

rooms := base python model sections engine view procfs source binary out inject \
	capture push daemon cli

below-base :=
below-python :=
below-model := base
below-sections := base
below-engine := base model
below-view := base model
below-procfs := base model
below-source := base model sections engine procfs
below-binary := base model engine procfs
below-out := base model sections view
below-inject := base model engine procfs binary
below-capture := base python model sections engine view procfs source binary out inject
# a program of its own: the others see its header only
below-push :=
below-daemon := $(below-capture) capture push
below-cli := $(below-daemon) daemon
