"""The real program, in a process of its own: exit codes, pipes, terminals, interrupts."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trees
from bough import datasets
from bough.cli.interrupt import Interrupt

PROGRAM = str(Path(sys.executable).with_name("bough"))
TITANIC = str(datasets.path("titanic"))
STRICT = [sys.executable, "-X", "dev", "-W", "error", "-m", "bough"]
"""The program with every warning an error: a file left open, a feature of Python on its way out."""

posix = pytest.mark.skipif(
    os.name != "posix", reason="signals, pipes and devices as POSIX has them"
)


def call(*args: str, command: list[str] | None = None, **how: Any) -> tuple[int, str, str]:
    how = {"capture_output": True, "timeout": 60, **how}
    result = subprocess.run([*(command or [PROGRAM]), *args], check=False, **how)
    return result.returncode, (result.stdout or b"").decode(), (result.stderr or b"").decode()


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("model") / "m.json")
    assert call("grow", TITANIC, "--target", "Survived", "--out", path, "--quiet")[0] == 0
    return path


def test_exit_codes(titanic: str) -> None:
    assert call("show", titanic)[0] == 0
    code, out, err = call("show", "none.json")
    assert (code, out) == (1, "") and err.startswith("bough: ") and "Traceback" not in err
    code, out, err = call("show", titanic, "--widht", "50")
    assert (code, out) == (2, "") and err.startswith("Usage: ")


def test_no_warnings(titanic: str, tmp_path: Path) -> None:
    commands = [
        ["grow", TITANIC, "--target", "Survived", "--out", str(tmp_path / "m.json")],
        ["predict", titanic, TITANIC, "--shares", "--out", str(tmp_path / "a.csv")],
        ["evaluate", titanic, TITANIC],
        ["data", TITANIC, "--target", "Survived"],
    ]
    for command in commands:
        code, _, err = call(*command, command=STRICT)
        assert code == 0 and "Warning" not in err, err


def test_both_ways_to_call_it() -> None:
    for module in ("bough", "bough.cli"):
        code, out, _ = call("--help", command=[sys.executable, "-m", module])
        assert code == 0 and out.startswith("Usage: bough ")


def test_standard_input_and_output(titanic: str) -> None:
    table = Path(TITANIC).read_bytes()
    code, out, _ = call("predict", titanic, "-", input=table)
    assert code == 0 and len(out.splitlines()) == 892
    code, model, _ = call("grow", "-", "--target", "Survived", "--out", "-", input=table)
    assert code == 0 and model.startswith('{"format":"bough tree"')


@posix
def test_a_reader_that_has_seen_enough(tmp_path: Path) -> None:
    """`bough … | head -1`, with far more to say than a pipe holds."""
    path = tmp_path / "m.json"
    trees.bushy(20_001).save(path)
    table = tmp_path / "t.csv"
    table.write_text("x0,x1,x2,x3\n" + "1,2,3,4\n" * 100_000)
    for command in (["show", str(path), "--all"], ["predict", str(path), str(table), "--leaf"]):
        writer = subprocess.Popen(
            [PROGRAM, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert writer.stdout is not None and writer.stderr is not None
        assert writer.stdout.readline()
        writer.stdout.close()
        assert writer.stderr.read() == b""
        assert writer.wait(timeout=30) == 0
        writer.stderr.close()


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk(titanic: str) -> None:
    for command in (["show", titanic], ["predict", titanic, TITANIC], ["recipes"]):
        with Path("/dev/full").open("wb") as full:
            result = subprocess.run(
                [PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
            )
        told = [x for x in result.stderr.decode().splitlines() if not x.startswith("note: ")]
        assert told == ["bough: the system refused: No space left on device"]
        assert result.returncode == 1


@posix
def test_closed_standard_streams(titanic: str) -> None:
    for closed in (">&-", "2>&-", "<&-"):
        code = subprocess.run(
            f'"{PROGRAM}" show "{titanic}" {closed} > /dev/null'
            if closed != ">&-"
            else f'"{PROGRAM}" show "{titanic}" >&-',
            shell=True,
            check=False,
            timeout=60,
            stderr=subprocess.PIPE if closed != "2>&-" else None,
        )
        assert code.returncode == 0, closed
        assert not code.stderr


def test_encodings(titanic: str, tmp_path: Path) -> None:
    """A narrow encoding gets plain text; CSV is UTF-8 whatever the terminal speaks."""
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    code, out, _ = call("show", titanic, env=latin)
    assert code == 0 and out.isascii() and "|- Sex = " in out
    table = tmp_path / "t.csv"
    table.write_text(
        "a,y\n" + "".join(f"{i},{'日本' if i > 9 else 'é'}\n" for i in range(20)), "utf-8"
    )
    model = str(tmp_path / "m.json")
    code, out, err = call("grow", str(table), "--target", "y", "--out", model, env=latin)
    assert code == 0, err
    code, out, _ = call("predict", model, str(table), env=latin)
    assert code == 0 and out.split()[1:] == ["é"] * 10 + ["日本"] * 10


# ---- terminals -----------------------------------------------------------------------------------


def in_terminal(*args: str, columns: int = 100, **env: str) -> str:
    """What the program prints on a terminal of its own."""
    pty = pytest.importorskip("pty")
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    told = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "TERM")}
    program = subprocess.Popen(
        [PROGRAM, *args], stdin=theirs, stdout=theirs, stderr=theirs,
        env={"TERM": "xterm-256color", **told, **env},
    )  # fmt: skip
    os.close(theirs)
    pieces = []
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(ours)
    assert program.wait(timeout=30) == 0
    return b"".join(pieces).decode().replace("\r\n", "\n")


COLOR = re.compile(r"\x1b\[[\d;]*m")


@posix
@pytest.mark.parametrize("columns", [40, 60, 100, 400])
def test_a_tree_fits_the_terminal(titanic: str, columns: int) -> None:
    told = in_terminal("show", titanic, columns=columns)
    assert COLOR.search(told)
    assert max(map(len, COLOR.sub("", told).splitlines())) <= columns


@posix
def test_colour_can_be_switched_off(titanic: str) -> None:
    for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert not COLOR.search(in_terminal("show", titanic, **env)), env
    assert COLOR.search(in_terminal("show", titanic, NO_COLOR=""))
    assert in_terminal("show", titanic, "--plain").isascii()


# ---- interrupts ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table that takes many seconds to grow from."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    folder = tmp_path_factory.mktemp("large")
    random = np.random.default_rng(0)
    columns = {f"x{i}": random.normal(size=600_000) for i in range(12)}
    columns["y"] = random.integers(0, 2, 600_000)
    parquet.write_table(pa.table(columns), folder / "t.parquet", compression="none")
    return folder


@posix
@pytest.mark.parametrize("after", [0.6, 1.5])
def test_interrupt_while_growing(large: Path, after: float) -> None:
    (large / "there.json").write_text("precious")
    before = sorted(large.iterdir())
    program = subprocess.Popen(
        [PROGRAM, "grow", "t.parquet", "--target", "y", "--recipe", "cart", "--prune", "none",
         "--threads", "1", "--out", "there.json", "--force"],
        cwd=large, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(after)
    assert program.poll() is None, "it must still be at work"
    sent = time.monotonic()
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=30)
    assert time.monotonic() - sent < 2.5, "a second, and some for a busy machine"
    assert program.returncode == 130
    assert out == b"" and err.decode().strip() == "bough: stopped; no file was left half written"
    assert sorted(large.iterdir()) == before
    assert (large / "there.json").read_text() == "precious"


@posix
def test_interrupt_while_waiting_for_input() -> None:
    program = subprocess.Popen(
        [PROGRAM, "grow", "-", "--target", "y"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(0.7)
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=10)
    assert program.returncode == 130 and b"Traceback" not in err


@pytest.fixture
def interrupt() -> Iterator[Interrupt]:
    switch = Interrupt()
    switch.on()
    yield switch
    switch.off()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@posix
def test_an_interrupt_that_a_library_loses_comes_again(interrupt: Interrupt) -> None:
    assert not interrupt.asked
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert interrupt.asked
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            time.sleep(5)
    interrupt.off()
    time.sleep(0.6)


@posix
def test_an_interrupt_waits_for_the_end_of_an_import(interrupt: Interrupt) -> None:
    done: list[str] = []
    name = "<frozen importlib._bootstrap>"
    code = compile("signal.raise_signal(signal.SIGINT); done.append('import')", name, "exec")
    with pytest.raises(KeyboardInterrupt):
        exec(code, {"signal": signal, "done": done})
        time.sleep(5)
    assert done == ["import"] and interrupt.asked


@posix
def test_interrupts_are_left_to_whoever_has_taken_them() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        switch = Interrupt()
        switch.on()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        switch.off()
    finally:
        signal.signal(signal.SIGINT, before)
