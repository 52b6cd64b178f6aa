"""Compile the kernels while the wheel is built. Everything else is in pyproject.toml."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py


class BuildKernels(build_py):
    """Copy the Python files, then compile the copies, so that their hash is the installed one."""

    def run(self) -> None:
        # Whatever an earlier build left here would be hashed and shipped too.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if self.editable_mode:
            return  # sources will change: they are compiled on first use, into the user's cache
        root = Path(self.build_lib).resolve()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
        for variable in ("WADJET_KERNEL_CHECKS", "NUMBA_DISABLE_JIT"):  # how to run, not to build
            environment.pop(variable, None)
        subprocess.run(
            [
                *(sys.executable, "-B", "-m", "engine.native.compiler"),
                str(root / "engine" / "native" / "machine_code"),
            ],
            cwd=root,
            env=environment,
            check=True,
        )


class PlatformWheel(bdist_wheel):
    """Machine code fits one platform, but any Python version."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


class WithMachineCode(Distribution):
    """Makes the wheel one for this platform."""

    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildKernels, "bdist_wheel": PlatformWheel}, distclass=WithMachineCode)
