"""Two boards: compile a machine for each, count its flash bytes, and run it in QEMU, which counts instructions.

Instructions are not cycles: a Cortex-M0 takes several for a multiplication or a branch that is taken, a Cortex-M4 for a
division. They tell machines apart on one core, not cores from each other.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

FIRMWARE = Path(__file__).parent / "firmware"
TOOLS = ("arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm")
INSTALL = "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm"
LONGEST_RUN = 600  # seconds, of the emulator


class Board(NamedTuple):
    """A core as gcc names it, and a board that QEMU has with it."""

    flags: tuple[str, ...]
    machine: str
    flash: int
    ram: int


BOARDS = {
    "M0": Board(("-mcpu=cortex-m0", "-mthumb"), "microbit", 256 << 10, 16 << 10),
    "M4": Board(
        ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"), "mps2-an386", 4 << 20, 256 << 10
    ),
}
EMPTY = "int label(const float *x) { (void)x; return 0; }\n"


class Source(NamedTuple):
    """A program's part that decides: text that defines ``int label(const float *x)``, in C or C++."""

    text: str
    language: str = "c"
    include: str = ""  #: a folder with headers that it needs


class Measured(NamedTuple):
    flash: int  #: bytes for code and constants, libraries included, beyond a program that always answers 0
    instructions: float  #: per answer, the loop around it included (about ten)
    labels: NDArray[np.int64]


def missing_tools() -> list[str]:
    """What of the cross compiler and the emulator is not installed."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def measure(source: Source, X: ArrayLike, board: Board, folder: Path) -> Measured | None:
    """What a machine costs on a board, and what it answers there. None where it does not fit into the flash memory."""
    rows = np.asarray(X, dtype=np.float32)
    _write_rows(rows, folder)
    program = _linked(source, board, folder, "-DMEASURE")
    if program is None:
        return None
    small, empty = _linked(source, board, folder), _linked(Source(EMPTY), board, folder)
    assert small is not None and empty is not None  # they are parts of what was linked already
    labels, ticks, million = _run(program, board).split()
    per_tick = 1.5e6 / int(million)
    return Measured(
        _flash(small) - _flash(empty), int(ticks) * per_tick / len(rows), np.array([int(digit) for digit in labels])
    )


def _write_rows(rows: NDArray[np.float32], folder: Path) -> None:
    text = ",\n".join("{" + ", ".join(f"{value:.9g}" for value in row) + "}" for row in rows)
    (folder / "rows.h").write_text(
        f"#define ROWS {len(rows)}\n#define FEATURES {rows.shape[1]}\n#ifdef MEASURE\n"
        f"static const float rows[ROWS][FEATURES] = {{\n{text}\n}};\n#endif\n"
    )


def _linked(source: Source, board: Board, folder: Path, *flags: str) -> Path | None:
    """The linked program; None if the linker says that a memory is too small."""
    name = f"machine.{source.language}"
    (folder / name).write_text(source.text)
    target = folder / f"program{len(flags)}{'empty' if source.text == EMPTY else ''}.elf"
    compile_one = [
        "arm-none-eabi-gcc", *board.flags, "-Os", "-ffunction-sections", "-fdata-sections", "-w", *flags, f"-I{folder}",
        *([f"-I{source.include}"] if source.include else []), "-c",
    ]  # fmt: skip
    kind = ["-x", "c++", "-fno-exceptions", "-fno-rtti"] if source.language == "cpp" else ["-std=c99"]
    subprocess.run([*compile_one, *kind, str(folder / name), "-o", str(folder / "machine.o")], check=True)
    subprocess.run([*compile_one, "-std=gnu99", str(FIRMWARE / "main.c"), "-o", str(folder / "main.o")], check=True)
    link = [
        "arm-none-eabi-gcc", *board.flags, "-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", "-Wl,--gc-sections",
        f"-Wl,--defsym=FLASH={board.flash}", f"-Wl,--defsym=RAM={board.ram}", f"-T{FIRMWARE / 'link.ld'}",
        str(folder / "main.o"), str(folder / "machine.o"), "-lm", "-o", str(target),
    ]  # fmt: skip
    done = subprocess.run(link, capture_output=True, text=True, check=False)
    if done.returncode and "overflowed by" in done.stderr:
        return None
    if done.returncode:
        raise RuntimeError(f"The linker failed: {done.stderr}")
    return target


def _flash(program: Path) -> int:
    """The bytes of all sections that are stored in flash memory."""
    listed = subprocess.run(
        ["arm-none-eabi-size", "-A", str(program)], capture_output=True, text=True, check=True
    ).stdout
    sizes = {line.split()[0]: int(line.split()[1]) for line in listed.splitlines() if line.startswith(".")}
    return sum(sizes.get(section, 0) for section in (".text", ".ARM.exidx", ".data"))


def _run(program: Path, board: Board) -> str:
    """What the program says. Every instruction takes a nanosecond of the emulator's clock."""
    command = [
        "qemu-system-arm", "-M", board.machine, "-nographic", "-monitor", "none", "-serial", "none", "-icount", "shift=0",
        "-semihosting-config", "enable=on,target=native", "-kernel", str(program),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST_RUN)
    return done.stdout + done.stderr
