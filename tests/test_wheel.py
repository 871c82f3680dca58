"""What is shipped: the wheel, built from these sources and installed without any of them."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import pytest

from conftest import Cli
from st2 import __version__

ROOT = Path(__file__).parent.parent
SHIPPED = ("catalog", "drivers", "st2")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return built(ROOT, tmp_path_factory.mktemp("wheel"))


def built(source: Path, folder: Path) -> Path:
    program = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", program, folder],
        cwd=source,
        capture_output=True,
        text=True,
        check=True,
    )
    return folder / done.stdout.split()[-1]


def test_the_wheel_has_every_module_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {
        str(path.relative_to(ROOT)) for room in SHIPPED for path in (ROOT / room).rglob("*.py")
    }
    about = f"st2_presence-{__version__}.d"
    assert modules <= names
    beside = {name for name in names - modules if not name.startswith(about)}
    assert beside == {"st2/commands.tsv", "st2/help.txt"}


def test_the_wheel_has_every_page_of_the_manual(wheel: Path) -> None:
    pages = {path.name for path in (ROOT / "man").glob("*.1")}
    folder = f"st2_presence-{__version__}.data/data/share/man/man1/"
    names = zipfile.ZipFile(wheel).namelist()
    shipped = {name.removeprefix(folder) for name in names if name.startswith(folder)}
    assert shipped == pages and "st2.1" in pages


@pytest.mark.slow
def test_the_wheel_is_built_from_the_source_archive_as_well(wheel: Path, tmp_path: Path) -> None:
    program = "import sys; from hatchling.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, tmp_path], cwd=ROOT, check=True)
    [archive] = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    [folder] = (path for path in tmp_path.iterdir() if path.is_dir())
    again = built(folder, tmp_path)
    assert zipfile.ZipFile(again).namelist() == zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
def test_what_mutation_testing_leaves_takes_nothing_from_the_source_archive(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for name in ("pyproject.toml", ".gitignore", "README.md", "LICENSE", *SHIPPED, "man"):
        place = ROOT / name
        (shutil.copytree if place.is_dir() else shutil.copy)(place, _made(copy) / name)
    (_made(copy / "build/mutants") / "catalog").symlink_to(copy / "catalog")
    program = "import sys; from hatchling.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, tmp_path], cwd=copy, check=True)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert "catalog/record.py" in names
    assert not any(name.startswith("build") for name in names)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def test_the_command_is_a_script_whose_first_line_the_installer_writes(wheel: Path) -> None:
    script = zipfile.ZipFile(wheel).read(f"st2_presence-{__version__}.data/scripts/st2")
    assert script.startswith(b"#!python\n")


def uncompiled(library: Path) -> set[Path]:
    """The shipped modules whose compiled form the import would not take."""
    sources = [path for room in SHIPPED for path in (library / room).rglob("*.py")]
    assert len(sources) > 200
    return {path for path in sources if not belongs(Path(cache_from_source(path)), path)}


def belongs(compiled: Path, source: Path) -> bool:
    found = source.stat()
    head = struct.pack("<4s3L", MAGIC_NUMBER, 0, int(found.st_mtime), found.st_size)
    return compiled.exists() and compiled.read_bytes().startswith(head)


@pytest.mark.slow
def test_the_installed_wheel_serves_its_fast_path_without_one_dependency(
    wheel: Path, cli: Cli, tmp_path: Path
) -> None:
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    pip = [sys.executable, "-m", "pip", "--python", place / "bin" / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True, stdin=subprocess.DEVNULL)
    installed = Cli(cli.catalog, cli.home, cli.env, place / "bin" / "st2")
    library = Path(
        sysconfig.get_paths(vars={"base": str(place), "platbase": str(place)})["purelib"]
    )
    assert uncompiled(library) == set()
    folder = cli.catalog / "agents/h1/a1"
    folder.mkdir(parents=True)
    (folder / "status").write_bytes(b"busy\n")
    done = installed("status", "a1", env={"PYTHONPATH": os.fspath(ROOT)}, cwd=ROOT)
    assert (done.code, done.out, done.err) == (0, b"busy\n", b"")
    loud = {"PYTHONPATH": os.fspath(ROOT), "PYTHONVERBOSE": "1"}
    traced = installed("status", "a1", env=loud, cwd=ROOT).errors
    assert (place / "share/man/man1/st2.1").exists()
    assert f"{place}/lib/" in traced
    assert f"{ROOT}/catalog" not in traced and f"{ROOT}/st2" not in traced
    # Its dependencies are those of this environment; a .pth in there is not read.
    (library / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    assert installed("--version").text == f"st2 {__version__}\n"
    assert installed("agents").text == "h1.a1\tbusy\t\t\n"
    assert installed("agents", "--help").code == installed("validate").code == 0
    assert installed("completion", "bash", "--for", "st2 why ").text == "none\na1\nh1.a1\n"
    # Without compiled forms, and where none may be written, it is slower and as good.
    for kept in library.rglob("__pycache__"):
        shutil.rmtree(kept)
    assert installed("status", "a1", env={"PYTHONDONTWRITEBYTECODE": "1"}).text == "busy\n"
    assert not list((library / "catalog").rglob("*.pyc"))


def test_the_documented_installation_compiles_the_modules() -> None:
    """By itself uv does not, nor does pipx where it finds uv; pip does (the test above)."""
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    told = [line for line in lines if line.startswith(("uv tool install", "pipx install"))]
    assert told == [
        "uv tool install --compile-bytecode st2-presence",
        "pipx install --pip-args=--compile st2-presence",
    ]
