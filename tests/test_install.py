"""What `pip install` leaves: one package `wadjet` that meets no other, and compiles nothing.

Builds a source distribution, from it a wheel, and installs that into an environment of its own. A
wheel of these sources that was built before, as `.ci/run` has one, is named by WADJET_WHEEL.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from engine import __version__
from engine.kernels import PLAY
from engine.native.sources import build_id
from tests.test_architecture import PACKAGES
from uci.version import RECORD, commit

ROOT = Path(__file__).resolve().parents[1]
OURS = {*PACKAGES}
NOTES = ROOT / ".github" / "notes.py"
SIGNATURE = ROOT / "tests" / "bench_signature.txt"
CONVERSATION = "uci\nisready\nposition startpos moves e2e4\ngo depth 3\n"
NOT_IN_A_CLONE = (".*", "__pycache__", "build", "dist", "*.egg-info", "machine_code")


class Archives(NamedTuple):
    tree: Path  # a copy of the repository
    unpacked: Path  # the source distribution
    wheel: Path


class Environment:
    """A virtual environment with our dependencies, in which something is to be installed."""

    def __init__(self, folder: Path):
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
        self.python = str(self.programs / Path(sys.executable).name)
        purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.site_packages = Path(self.run(self.python, "-c", purelib, cwd=folder))
        # Without a package index: numpy and the others are those of this environment.
        ours = [path for path in sys.path if path.endswith("-packages")]
        (self.site_packages / "dependencies.pth").write_text("\n".join(ours), encoding="utf-8")

    def install(self, *what: str) -> None:
        # Whatever version of ours may be among the dependencies does not count.
        options = (
            "--no-index",
            "--no-deps",
            "--no-build-isolation",
            "--ignore-installed",
            "--quiet",
        )
        pip = (sys.executable, "-m", "pip", "--python", self.python, "install", *options)
        self.run(*pip, *what, cwd=self.folder)

    def run(self, *command: str, cwd: Path, typed: str = "", **variables: str) -> str:
        """What a command prints, which must end well. `wadjet...` is an installed program."""
        program, *arguments = command
        if program.startswith("wadjet"):
            program = str(self.programs / program)
        not_theirs = ("PYTHONPATH", "NUMBA_DISABLE_JIT", "WADJET_KERNEL_CHECKS")
        own = {name: value for name, value in os.environ.items() if name not in not_theirs}
        done = subprocess.run(
            [program, *arguments],
            cwd=cwd,
            input=typed,
            env={**own, "WADJET_CACHE": str(self.folder / "cache"), **variables},
            capture_output=True,
            encoding="utf-8",
            timeout=240,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module")
def build() -> Callable[[Path, str], Path]:
    """A function that builds an archive (a name of PEP 517) of a source tree, beside it."""
    pytest.importorskip("setuptools", minversion="77")
    pytest.importorskip("pip")

    def built(tree: Path, kind: str) -> Path:
        code = f"from setuptools import build_meta; build_meta.build_{kind}({str(tree.parent)!r})"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tree, capture_output=True, encoding="utf-8"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (archive,) = (path for path in tree.parent.iterdir() if path.suffix in (".gz", ".whl"))
        return archive

    return built


def not_in_a_clone(folder: str, names: list[str]) -> set[str]:
    """What a folder of a checkout holds besides, virtual environments of any name included."""
    environments = {name for name in names if Path(folder, name, "pyvenv.cfg").exists()}
    return environments | shutil.ignore_patterns(*NOT_IN_A_CLONE)(folder, names)


@pytest.fixture(scope="module")
def archives(
    tmp_path_factory: pytest.TempPathFactory, build: Callable[[Path, str], Path]
) -> Archives:
    tree = tmp_path_factory.mktemp("repository") / "wadjet"
    shutil.copytree(ROOT, tree, ignore=not_in_a_clone)
    before = sorted(tree.rglob("*"))
    sdist = build(tree, "sdist")
    for path in set(tree.rglob("*")) - set(before):
        if path.is_file():
            path.unlink()
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(sdist) as archive:
        # Python 3.11.3 and earlier have no filters.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)
    (unpacked,) = folder.iterdir()
    built = os.environ.get("WADJET_WHEEL")
    return Archives(tree, unpacked, Path(built) if built else build(unpacked, "wheel"))


@pytest.fixture(scope="module")
def installed(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("installed"))
    environment.install(str(archives.wheel))
    return environment


@pytest.fixture(scope="module")
def editable(archives: Archives, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("editable"))
    environment.install("--editable", str(archives.unpacked))
    return environment


@pytest.fixture
def read_only(installed: Environment) -> Iterator[Path]:
    """The package in site-packages, where nothing can be written. (An administrator still can.)"""
    package = installed.site_packages / "wadjet"
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield package
    for folder in folders:
        folder.chmod(0o755)


@pytest.fixture(params=["current folder", "PYTHONPATH", "site-packages"])
def foreign(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[[Environment], dict[str, str]]]:
    """A function that puts other people's modules of our names in the way of an environment.

    It returns the variables under which they are found.
    """
    written: list[Path] = []

    def put(environment: Environment) -> dict[str, str]:
        folder = tmp_path / ("elsewhere" if request.param == "PYTHONPATH" else "here")
        if request.param == "site-packages":
            folder = environment.site_packages
        for module in ("engine", "uci"):
            written.append(folder / f"{module}.py")
        for package in ("tuning", "openings"):
            written.append(folder / package / "__init__.py")
        for path in written:
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text("THEIRS = True\n", encoding="utf-8")
        return {"PYTHONPATH": str(folder)} if request.param == "PYTHONPATH" else {}

    (tmp_path / "here").mkdir()
    yield put
    for path in written:
        if path.name == "__init__.py":
            shutil.rmtree(path.parent)
        else:
            path.unlink()


@pytest.fixture(scope="module")
def setup() -> ModuleType:
    """setup.py as a module."""
    pytest.importorskip("setuptools", minversion="77")
    specification = importlib.util.spec_from_file_location("setup", ROOT / "setup.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_links_of_the_package_page_lead_to_the_repository(setup: ModuleType) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert setup.readme("") == text
    page = setup.readme("https://host/wadjet/blob/v1.2.3/")
    assert "](https://host/wadjet/blob/v1.2.3/docs/pictures/analysis.png?raw=true)" in page
    assert "[LICENSE](https://host/wadjet/blob/v1.2.3/LICENSE)" in page
    assert "[Numba](https://numba.pydata.org)" in page
    assert not re.search(r"\]\((?!https://)", page)


def test_a_release_has_notes() -> None:
    if not NOTES.exists():
        pytest.skip("a source distribution has no workflows")
    done = run_notes(f"v{__version__}")
    assert done.returncode == 0 and done.stdout and "## " not in done.stdout
    wrong = run_notes("v0.0.0")
    assert (wrong.returncode, wrong.stdout) == (1, "") and "0.0.0" in wrong.stderr


def run_notes(tag: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(NOTES), tag]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_the_commit_is_recorded_if_it_is_known(setup: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "uci").mkdir()
    setup._record_commit(tmp_path)
    recorded = {
        path.name: path.read_text(encoding="utf-8").strip() for path in (tmp_path / "uci").iterdir()
    }
    known = commit()
    assert recorded == ({} if known is None else {RECORD: known})


def own_imports(source: bytes) -> list[ast.Import | ast.ImportFrom]:
    """The statements that import our folders, under any of their names."""
    return [
        node
        for node in ast.walk(ast.parse(source))
        if (isinstance(node, ast.Import) and {a.name.split(".")[0] for a in node.names} & OURS)
        or (isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] in OURS)
    ]


def test_every_import_can_be_moved_into_the_package(setup: ModuleType) -> None:
    """setup.py changes `from engine...` and `import engine... as name` at the beginning of a line;
    all other forms, and text that looks like them, are forbidden."""
    paths = [ROOT / "wadjet.py", *(p for name in PACKAGES for p in (ROOT / name).rglob("*.py"))]
    assert len(paths) > 50
    for path in paths:
        source = path.read_bytes()
        moved, imports = setup.inside_package(source, PACKAGES), own_imports(source)
        assert not own_imports(moved), path
        assert len(moved) - len(source) == len(b"wadjet.") * len(imports), path
        for node in imports:
            assert isinstance(node, ast.ImportFrom) or node.names[0].asname, (path, node.lineno)


@pytest.mark.jit_only
class TestArchives:
    def test_the_source_distribution_holds_the_repository(self, archives: Archives) -> None:
        made = {"PKG-INFO", "setup.cfg"}
        found = {name for name in files(archives.unpacked) if "/machine_code/" not in name}
        found = {name for name in found if not name.startswith(("wadjet.egg-info/", "build/"))}
        assert found - made == files(archives.tree)

    def test_the_wheel_holds_one_package(self, archives: Archives) -> None:
        with zipfile.ZipFile(archives.wheel) as wheel:
            names = set(wheel.namelist())
            about = f"wadjet-{__version__}.dist-info"
            assert wheel.read(f"{about}/top_level.txt").split() == [b"wadjet"]
        assert {name.partition("/")[0] for name in names} == {"wadjet", about}
        inside = {name for name in names if name.startswith("wadjet/")}
        machine_code = {name for name in inside if name.endswith(".o")}
        assert machine_code
        assert all(name.startswith("wadjet/engine/native/machine_code/") for name in machine_code)
        assert all(build_id(PLAY) in name for name in machine_code)  # a clone can take it, too
        made = {"wadjet/__init__.py", "wadjet/__main__.py", "wadjet/py.typed"}
        ours = {f"wadjet/{folder}/{name}" for folder in PACKAGES for name in files(ROOT / folder)}
        ours = {
            name for name in ours if "/__pycache__/" not in name and "/machine_code/" not in name
        }
        # Of use in the repository only
        ours = {name for name in ours if not name.startswith("wadjet/tuning/openbench/")}
        readmes = {name for name in ours | inside if name.endswith(".md")}
        assert inside - machine_code - readmes == (ours | made) - readmes


@pytest.mark.jit_only
class TestInstalled:
    def test_nothing_compiles(self, installed: Environment, tmp_path: Path) -> None:
        code = (
            "import sys; from wadjet.engine.native.jit import library, needs_compiling; "
            "print(needs_compiling(), library().origin, 'numba' in sys.modules, sep='|')"
        )
        needs_compiling, origin, has_numba = installed.run(
            installed.python, "-c", code, cwd=tmp_path
        ).split("|")
        assert (needs_compiling, has_numba) == ("False", "False")
        assert Path(origin).parent.name == "machine_code"
        assert not (installed.folder / "cache").exists()

    def test_the_signature(self, installed: Environment, tmp_path: Path) -> None:
        said = installed.run("wadjet", "bench", cwd=tmp_path)
        nodes = next(line for line in said.splitlines() if line.startswith("Nodes searched"))
        assert nodes.split()[-1] == SIGNATURE.read_text(encoding="utf-8").strip()

    def test_it_plays_without_numba_and_writes_nothing(
        self, installed: Environment, read_only: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "numba.py").write_text("raise ImportError\n", encoding="utf-8")
        before = {path: path.stat().st_mtime_ns for path in read_only.rglob("*")}
        variables = {"PYTHONPATH": str(tmp_path), "PATH": ""}
        said = installed.run("wadjet", cwd=tmp_path, typed=CONVERSATION, **variables).splitlines()
        assert said[-1].startswith("bestmove ")
        assert {path: path.stat().st_mtime_ns for path in read_only.rglob("*")} == before
        assert not (installed.folder / "cache").exists()

    def test_the_programs(self, installed: Environment, tmp_path: Path) -> None:
        version = f"Wadjet {__version__}"
        assert installed.run("wadjet", "--version", cwd=tmp_path) == version
        python = installed.python
        assert installed.run(python, "-m", "wadjet", "--version", cwd=tmp_path) == version
        assert "usage: wadjet-tune match" in installed.run(
            "wadjet-tune", "match", "-h", cwd=tmp_path
        )
        probed = installed.run(
            "wadjet-tablebases", "probe", "8/8/8/8/8/2k5/1q6/K7 w - - 0 1", cwd=tmp_path
        )
        assert probed
        book = "from wadjet.engine.book import OpeningBook; print(OpeningBook().enable(True))"
        assert "moves in wadjet.bin" in installed.run(python, "-c", book, cwd=tmp_path)

    def test_every_module_can_be_imported(self, installed: Environment, tmp_path: Path) -> None:
        code = f"""
import importlib, logging, pkgutil, sys, wadjet
logging.disable()  # Matplotlib tells how busy it is
for module in pkgutil.walk_packages(wadjet.__path__, "wadjet."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(*{OURS!r} & set(sys.modules))
from wadjet.engine.native.sources import kernel_sources, object_of
print(object_of("wadjet.engine.search.negamax"), object_of("wadjet.tablebases.cityhash"))
print(*kernel_sources("wadjet.tablebases.cityhash"))
"""
        said = installed.run(installed.python, "-c", code, cwd=tmp_path)
        own = ["wadjet.tablebases.cityhash", "wadjet.tablebases.tables"]
        assert said.split() == ["play", own[0], *own]

    def test_the_door(self, installed: Environment, tmp_path: Path) -> None:
        code = f"""
import sys
import wadjet
assert not {{"numpy", "llvmlite", "numba", "wadjet.engine"}} & set(sys.modules)
from wadjet import *
assert wadjet.__version__ == {__version__!r}
assert set(wadjet.__all__) <= set(dir(wadjet)) and set(wadjet.__all__) <= set(globals())
events = []
engine = Engine()
engine.go(Limits(depth=2), events.append)
engine.wait()
assert isinstance(events[-1], SearchResult) and events[-1].best_move
assert "numba" not in sys.modules and "engine" not in sys.modules
try:
    wadjet.no_such_name
except AttributeError as error:
    print(error)
try:
    import tuning
except ModuleNotFoundError as error:
    print(error)
"""
        assert installed.run(installed.python, "-c", code, cwd=tmp_path).splitlines() == [
            "module 'wadjet' has no attribute 'no_such_name'",
            "No module named 'tuning'",
        ]


@pytest.fixture(scope="module")
def engine(installed: Environment, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The program in the folder of standalone/build.py."""
    pytest.importorskip("PyInstaller")
    folder = tmp_path_factory.mktemp("standalone")
    command = [installed.python, str(ROOT / "standalone" / "build.py"), str(folder)]
    subprocess.run(command, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    program = "wadjet.exe" if sys.platform == "win32" else "wadjet"
    return [str(folder / "wadjet" / program)]


@pytest.mark.jit_only
class TestWithoutPython:
    def test_the_signature(self, engine: list[str], tmp_path: Path) -> None:
        environment = {"WADJET_CACHE": str(tmp_path / "cache"), "PATH": ""}
        command = [*engine, "bench"]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
        assert (done.returncode, done.stderr) == (0, "")
        nodes = next(line for line in done.stdout.splitlines() if line.startswith("Nodes searched"))
        assert nodes.split()[-1] == SIGNATURE.read_text(encoding="utf-8").strip()
        assert not (tmp_path / "cache").exists()  # nothing was compiled

    def test_it_says_how_to_use_it_and_to_pass_it_on(self, engine: list[str]) -> None:
        folder = Path(engine[0]).parent
        text = (folder / "README.txt").read_text(encoding="utf-8")
        assert Path(engine[0]).name in text and "General Public License, version 3" in text
        licences = folder / "licences"
        for path in ("wadjet/LICENSE", "wadjet/THIRD-PARTY.md", "chess/chess/pgn.py", "Python.txt"):
            assert (licences / path).is_file()
        for package in ("chess", "numpy", "llvmlite"):
            assert any("LICEN" in path.name for path in (licences / package).iterdir())

    def test_a_game_with_book_and_tables(self, engine: list[str], tmp_path: Path) -> None:
        typed = (
            "uci\nsetoption name OwnBook value true\nisready\nposition startpos\ngo depth 3\n"
            "position fen 8/8/8/8/8/2k5/1q6/K7 w - - 0 1\ngo depth 3\n"
            "position fen 8/8/8/8/8/2k5/8/KQ6 w - - 0 1\ngo depth 3\n"
        )
        done = subprocess.run(
            engine,
            env={"PATH": ""},
            input=typed,
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "moves in wadjet.bin" in done.stdout
        assert "score mate" in done.stdout
        assert done.stdout.count("bestmove") == 3


@pytest.mark.jit_only
class TestModulesOfTheSameNames:
    @pytest.mark.parametrize("how", ["program", "module", "tools"])
    def test_wadjet_plays(
        self,
        installed: Environment,
        foreign: Callable[[Environment], dict[str, str]],
        how: str,
        tmp_path: Path,
    ) -> None:
        variables, here = foreign(installed), tmp_path / "here"
        command = ["wadjet"]
        if how == "module":
            command = [installed.python, "-m", "wadjet"]
        elif how == "tools":  # what the tools start when they are given the engine `wadjet`
            code = (
                "from wadjet.tuning import engines; print(*engines.command_of('wadjet'), sep='|')"
            )
            printed = installed.run(installed.python, "-c", code, cwd=here, **variables)
            command = printed.split("|")
        said = installed.run(*command, cwd=here, typed=CONVERSATION, **variables).splitlines()
        assert {"uciok", "readyok"} < set(said)
        assert said[-1].startswith("bestmove ")

    def test_theirs_stay_importable(
        self,
        installed: Environment,
        foreign: Callable[[Environment], dict[str, str]],
        tmp_path: Path,
    ) -> None:
        code = (
            "from wadjet import Engine; Engine(); import engine, uci, tuning, openings; "
            "print(engine.THEIRS, uci.THEIRS, tuning.THEIRS, openings.THEIRS)"
        )
        variables = foreign(installed)
        command = (installed.python, "-c", code)
        said = installed.run(*command, cwd=tmp_path / "here", **variables)
        assert said == "True True True True"

    def test_an_editable_engine_starts(
        self,
        editable: Environment,
        foreign: Callable[[Environment], dict[str, str]],
        tmp_path: Path,
    ) -> None:
        variables, here = foreign(editable), tmp_path / "here"
        assert "uciok" in editable.run("wadjet", cwd=here, typed="uci\nquit\n", **variables)
        assert "usage: wadjet-tune" in editable.run("wadjet-tune", "-h", cwd=here, **variables)
        probe = "usage: wadjet-tablebases probe"
        assert probe in editable.run("wadjet-tablebases", "probe", "-h", cwd=here, **variables)
