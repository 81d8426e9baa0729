"""What a submission may not ask the kernel for: a filter that bubblewrap hands over to it (seccomp).

Limits are of use only while everything that a submission takes is counted. Memory files, shared memory, semaphores and pages
that wait in a pipe (vmsplice) are counted for no process; setsockopt makes a socket's buffer large; who makes a namespace of
his own is root in it and may put up a disk in memory of any size; and by sched_setaffinity a submission leaves its core.
"""

from __future__ import annotations

import platform
import struct

# numbers of system calls: they differ between machines, and never change on one
DENIED = {
    "x86_64": {"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "unshare": 272, "setns": 308,
               "io_uring_setup": 425, "ptrace": 101, "bpf": 321, "keyctl": 250, "add_key": 248, "semget": 64,
               "vmsplice": 278, "setsockopt": 54, "sched_setaffinity": 203},
    "aarch64": {"memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186, "unshare": 97, "setns": 268,
                "io_uring_setup": 425, "ptrace": 117, "bpf": 280, "keyctl": 219, "add_key": 217, "semget": 190,
                "vmsplice": 75, "setsockopt": 208, "sched_setaffinity": 122},
}  # fmt: skip
CLONE = {"x86_64": 56, "aarch64": 220}
MMAP = {"x86_64": 9, "aarch64": 222}
CLONE3 = 435
MACHINE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # as the kernel's audit names them
NAMESPACES = 0x7E020080  # clone's flags CLONE_NEW…, all of them
SHARED, ANONYMOUS = 0x01, 0x20  # mmap's flags
X32 = 0x40000000  # a second numbering of the same calls on x86_64

# the filter's own little language (classic BPF) …
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# … what it looks at, by its place in the kernel's struct seccomp_data, and what it answers
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 40
ALLOW, KILL, NOT_PERMITTED, NOT_THERE = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def syscall_filter(machine: str = "") -> bytes:
    """The filter as bubblewrap's ``--seccomp`` reads it; nothing for a machine whose numbers we do not know."""
    machine = machine or platform.machine()
    if machine not in DENIED:
        return b""
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, MACHINE[machine]), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    lines += _answer(AT_LEAST, X32, KILL)
    for number in DENIED[machine].values():
        lines += _answer(EQUAL, number, NOT_PERMITTED)
    lines += _answer(EQUAL, CLONE3, NOT_THERE)  # its flags are out of a filter's reach; libraries take clone instead
    # memory that is shared and in no file stays when the process lets go of it, and then counts for nobody
    lines += [(EQUAL, 0, 5, MMAP[machine]), (LOAD, 0, 0, FOURTH_ARGUMENT), (ANY_BIT, 0, 2, ANONYMOUS)]
    lines += [*_answer(ANY_BIT, SHARED, NOT_PERMITTED), (LOAD, 0, 0, NUMBER)]
    lines += [(EQUAL, 0, 3, CLONE[machine]), (LOAD, 0, 0, FIRST_ARGUMENT), *_answer(ANY_BIT, NAMESPACES, NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *line) for line in [*lines, (RETURN, 0, 0, ALLOW)])


def _answer(test: int, value: int, answer: int) -> list[tuple[int, int, int, int]]:
    """If the test holds, that is the answer; else go on."""
    return [(test, 0, 1, value), (RETURN, 0, 0, answer)]
