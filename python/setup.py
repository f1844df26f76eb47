# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the extension. MEMPROF_TOP is memprof's tree; make python sets it."""
import os

from setuptools import Extension, setup

TOP = os.environ.get("MEMPROF_TOP", os.path.join(os.path.dirname(__file__), ".."))

setup(
    ext_modules=[Extension(
        "memprof._memprof",
        ["src/module.c", "src/library.c", "src/live-blocks.c"],
        include_dirs=[os.path.join(TOP, "include"), os.path.join(TOP, "include/uapi")],
        depends=["src/library.h", "src/live-blocks.h"],
        extra_compile_args=["-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra",
                            "-fvisibility=hidden"],
        py_limited_api=True,
    )],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
