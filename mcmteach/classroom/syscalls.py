"""The system calls that a submission may not make: a seccomp filter that bubblewrap passes to the kernel.

Limits work only if all the resources that a submission uses are counted. Memory files, shared memory, semaphores, message
queues and pages that wait in a pipe (vmsplice) are counted for no process; setsockopt makes a socket's buffer large; whoever
makes a namespace is root in it and may mount a disk in memory of any size; and by sched_setaffinity a submission leaves its
core. Nor may it look into other processes (ptrace, process_vm_…), or open sockets other than local and internet ones: some
families (AF_VSOCK) reach the machine from inside a network namespace.
"""

from __future__ import annotations

import platform
import struct

# numbers of system calls: they differ between machines, and never change on one
DENIED = {
    "x86_64": {"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240,
               "vmsplice": 278, "setsockopt": 54, "sched_setaffinity": 203, "io_uring_setup": 425, "userfaultfd": 323,
               "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
               "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
               "open_by_handle_at": 304, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311,
               "pidfd_getfd": 438, "kcmp": 312, "perf_event_open": 298, "bpf": 321, "keyctl": 250, "add_key": 248,
               "request_key": 249},
    "aarch64": {"memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186, "semget": 190, "mq_open": 180,
                "vmsplice": 75, "setsockopt": 208, "sched_setaffinity": 122, "io_uring_setup": 425, "userfaultfd": 282,
                "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51,
                "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432, "fspick": 433, "mount_setattr": 442,
                "open_by_handle_at": 265, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271,
                "pidfd_getfd": 438, "kcmp": 272, "perf_event_open": 241, "bpf": 280, "keyctl": 219, "add_key": 217,
                "request_key": 218},
}  # fmt: skip
SOCKETS = {"x86_64": (41, 53), "aarch64": (198, 199)}  # socket and socketpair
CLONE = {"x86_64": 56, "aarch64": 220}
MMAP = {"x86_64": 9, "aarch64": 222}
CLONE3 = 435
MACHINE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # as the kernel's audit names them
NAMESPACES = 0x7E020080  # clone's flags CLONE_NEW…, all of them
SHARED, ANONYMOUS = 0x01, 0x20  # mmap's flags
FAMILIES = (1, 2, 10)  # of sockets: AF_UNIX, AF_INET, AF_INET6
X32 = 0x40000000  # a second numbering of the same calls on x86_64

# the filter's own little language (classic BPF) …
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# … what it looks at, by its place in the kernel's struct seccomp_data, and what it answers
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, FOURTH_ARGUMENT = 0, 4, 16, 40
ALLOW, KILL, NOT_PERMITTED, NOT_THERE, NO_SUCH_FAMILY = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026, 0x00050061


def syscall_filter(machine: str = "") -> bytes:
    """The filter as bubblewrap's ``--seccomp`` reads it. KeyError for a machine that is not in ``DENIED``."""
    machine = machine or platform.machine()
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, MACHINE[machine]), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    lines += _answer(AT_LEAST, X32, KILL)
    for number in DENIED[machine].values():
        lines += _answer(EQUAL, number, NOT_PERMITTED)
    lines += _answer(EQUAL, CLONE3, NOT_THERE)  # its flags are out of a filter's reach; libraries take clone instead
    for number in SOCKETS[machine]:
        known = [
            (EQUAL, len(FAMILIES) - i, 0, family) for i, family in enumerate(FAMILIES)
        ]  # to the last of these lines
        lines += [(EQUAL, 0, len(known) + 3, number), (LOAD, 0, 0, FIRST_ARGUMENT)]
        lines += [*known, (RETURN, 0, 0, NO_SUCH_FAMILY), (LOAD, 0, 0, NUMBER)]
    # memory that is shared and in no file stays when the process lets go of it, and then counts for nobody
    lines += [(EQUAL, 0, 5, MMAP[machine]), (LOAD, 0, 0, FOURTH_ARGUMENT), (ANY_BIT, 0, 2, ANONYMOUS)]
    lines += [*_answer(ANY_BIT, SHARED, NOT_PERMITTED), (LOAD, 0, 0, NUMBER)]
    lines += [(EQUAL, 0, 3, CLONE[machine]), (LOAD, 0, 0, FIRST_ARGUMENT), *_answer(ANY_BIT, NAMESPACES, NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *line) for line in [*lines, (RETURN, 0, 0, ALLOW)])


def _answer(test: int, value: int, answer: int) -> list[tuple[int, int, int, int]]:
    """If the test holds, that is the answer; else go on."""
    return [(test, 0, 1, value), (RETURN, 0, 0, answer)]
