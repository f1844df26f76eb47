# SPDX-License-Identifier: LGPL-2.1-or-later
"""What can go wrong with the sampler."""


class MemProfError(RuntimeError):
    """The sampler cannot do what was asked. The others are kinds of this one."""


class AlreadyRunningError(MemProfError):
    """start() was called, and the sampler runs already."""


class NotRunningError(MemProfError):
    """The sampler does not run, or was never started."""


class TerminatedError(MemProfError):
    """shutdown() was called before. It is final."""


class UnsupportedError(MemProfError):
    """This process cannot be sampled, or something else is missing on this machine."""
