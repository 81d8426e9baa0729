"""Submissions that mean no good, or are no submissions at all. ``CELLS``: a cell to put before the answers. ``ANSWERS``: an
answer in the place of a right one. ``FILES``: what is no notebook. ``TEXT``: what a feedback page must not do to its reader."""

# the submission's end of the channel to the worker
CHANNEL = (
    "import gc, io, time\n"
    "out = next(o for o in gc.get_objects() if isinstance(o, io.TextIOWrapper) and o.fileno() > 2 and o.writable())\n"
)
CELLS = {
    "loops": "while True: pass",
    "loops and catches everything": (
        "while True:\n    try:\n        while True:\n            x = 1\n    except BaseException:\n        pass"
    ),
    "forks": "import os\nwhile True:\n    os.fork()",
    "eats memory at once": "x = bytearray(10**11)",
    "eats memory by the slice": "held = []\nwhile True:\n    held.append(bytearray(10**7))",
    "eats memory in many processes": (
        "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n"
        "        held = bytearray(b'x') * (200 << 20)\n        time.sleep(600)"
    ),
    "eats memory that is nobody's": (  # memory files, System V's shared memory, a disk of its own in memory
        "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\ngot = []\n"
        "try:\n    got.append(os.memfd_create('x'))\nexcept OSError:\n    pass\n"
        "got += [1] * (libc.shmget(0, 1 << 30, 0o1600) >= 0)\n"
        "got += [2] * (libc.unshare(0x10020000) == 0)\n"
        "got += [3] * (os.uname().machine == 'x86_64' and libc.syscall(56, 0x10000011, 0, 0, 0, 0) >= 0)\n"
        "import mmap, socket\n"
        "for share in (lambda: mmap.mmap(-1, 1 << 20), lambda: mmap.mmap(os.open('/dev/zero', os.O_RDWR), 1 << 20)):\n"
        "    try:\n        got.append(share())\n    except OSError:\n        pass\n"
        "got += [4] * (libc.semget(0, 32000, 0o600) >= 0)\n"
        "ends = os.pipe()\ngot += [5] * (libc.vmsplice(ends[1], (ctypes.c_size_t * 2)(id(libc), 16), 1, 0) >= 0)\n"
        "try:\n    socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)\n    got.append(6)\n"
        "except OSError:\n    pass\n"
        "held = []\n"
        "try:\n    while len(held) < 1000:\n        held.append(os.pipe())\n    got.append(7)\nexcept OSError:\n    pass\n"
        "for end in sum(held, ()):\n    os.close(end)\n"
        "if got:\n    os._exit(77)"
    ),
    "makes a million files": "import os\nfor n in range(10**6):\n    os.mknod(f'/tmp/{n}')",
    "leaves its core": "import os\nos.sched_setaffinity(0, range(os.cpu_count()))\nos._exit(77)",
    "is root outside too": (  # writes the kernel's settings, changes the mode of a device (to what it is), names the user
        "import os, stat\ngot = []\n"
        "for place in ('/proc/sys/kernel/core_pattern', '/proc/sys/vm/overcommit_memory', '/proc/self/comm'):\n"
        "    try:\n        got.append(os.open(place, os.O_WRONLY))\n    except OSError:\n        pass\n"
        "try:\n    os.chmod('/dev/null', stat.S_IMODE(os.stat('/dev/null').st_mode))\n    got.append(1)\n"
        "except OSError:\n    pass\n"
        "got += [2] * (open('/proc/self/uid_map').read().split()[1] == '0' and os.getuid() == 0)\n"
        "if got:\n    os._exit(77)"
    ),
    "writes into the first process": (
        "import ctypes, os, resource\nlibc = ctypes.CDLL(None, use_errno=True)\ngot = []\n"
        "try:\n    got.append(open('/proc/1/mem', 'r+b'))\nexcept OSError:\n    pass\n"
        "here = ctypes.create_string_buffer(8)\npiece = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)\n"
        "for call in (libc.process_vm_readv, libc.process_vm_writev):\n"
        "    got += [1] * (call(os.getpid(), ctypes.byref(piece), 1, ctypes.byref(piece), 1, 0) >= 0)\n"
        "got += [2] * (libc.ptrace(0, 0, 0, 0) >= 0)\n"
        "try:\n    got += [3] * (resource.prlimit(1, resource.RLIMIT_AS)[1] == resource.RLIM_INFINITY)\n"
        "except OSError:\n    pass\n"
        "if got:\n    os._exit(77)"
    ),
    "makes a million files in shared memory": "import os\nfor n in range(10**6):\n    os.mknod(f'/dev/shm/{n}')",
    "makes files where the answers were": (
        "import glob, mcmteach, os\ngot = []\n"
        "for place in ['/dev', '/', *glob.glob(mcmteach.__path__[0] + '/checks/**/__pycache__', recursive=True)]:\n"
        "    try:\n        os.mknod(place + '/mine')\n        got.append(place)\n    except OSError:\n        pass\n"
        "if got:\n    os._exit(77)"
    ),
    "talks to the machine that it runs on": (  # AF_VSOCK and others know no network namespace
        "import os, socket\ngot = []\n"
        "for family in set(range(46)) - {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6}:\n"
        "    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):\n"
        "        try:\n            socket.socket(family, kind).close()\n            got.append(family)\n"
        "        except OSError:\n            pass\n"
        "if got:\n    os._exit(77)"
    ),
    "finds the answers on the disk": (
        "import glob, mcmteach, os\n"
        "seen = glob.glob(mcmteach.__path__[0] + '/**/*', recursive=True)\n"
        "if any('def first_useful_M' in open(p, errors='replace').read() for p in seen if os.path.isfile(p)):\n    os._exit(77)"
    ),
    "floods the channel": (
        CHANNEL + "lines = '{\"step\": 1, \"error\": {\"type\": \"TimeUp\", \"message\": \"\"}}\\n' * 1000\n"
        "for _ in range(50):\n    out.write(lines)\nout.flush()"
    ),
    "sends a message without end": CHANNEL + "out.write('{\"step\": [' + '[],' * 10**7 + '[]]}\\n')\nout.flush()",
    "sends deep and odd messages": (
        CHANNEL + "deep = '[' * 980 + ']' * 980\n"
        "out.write('{\"step\": 4, \"function\": [[' + deep + ', 1, 1]]}\\n{\"step\": NaN}\\n')\nout.flush()"
    ),
    "deletes files": (
        "import mcmteach, shutil\n"
        "for place in ('/tmp', '/home', '/etc', '/dev', mcmteach.__path__[0]):\n    shutil.rmtree(place, ignore_errors=True)"
    ),
    "fills the disk": "with open('/tmp/big', 'wb') as file:\n    while True:\n        file.write(bytes(10**7))",
    "fills other places": (
        "for place in ('/dev/shm/big', '/big', '/dev/big'):\n"
        "    with open(place, 'wb') as file:\n        file.write(bytes(10**8))"
    ),
    "prints a gigabyte": "import sys\nfor _ in range(1000):\n    sys.stdout.write('x' * 10**6)",
    "ends its process": "import os\nos._exit(0)",
    "kills everybody": "import os, signal\nfor pid in (-1, 1, os.getppid()):\n    os.kill(pid, signal.SIGKILL)",
    "stays behind": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        open('/tmp/marker', 'w')\n"
        "        time.sleep(600)\n    os._exit(0)"
    ),
    "writes into the channel": (
        "import os\nfor fd in range(3, 30):\n    try:\n        os.write(fd, b'{\"ready\": true}\\nnonsense\\n[1]\\n')\n"
        "    except OSError:\n        pass"
    ),
}  # fmt: skip

WRONG = "def empirical_risk(y, f):\n    return 0.123\n"
ANSWERS = {
    "patches the checker": WRONG
    + "import mcmteach, mcmteach.checks as checks, mcmteach.checks.judge as judge\n"
    "from mcmteach.checks.words import Verdict\n"
    "judge.same = lambda *_: True\njudge._compare = lambda *_: Verdict('', '', passed=True)\n"
    "checks.check = mcmteach.check = check = lambda *_: None\n"
    "mcmteach.empirical_risk = lambda *_: 0.123\n",
    "patches numpy": "import numpy\nnumpy.allclose = lambda *_, **__: True\nnumpy.array_equal = numpy.allclose\n" + WRONG,
    "reads the answers": (
        "import glob, importlib, sys\n"
        "def empirical_risk(y, f):\n"
        "    try:\n"
        "        return importlib.import_module('mcmteach.checks.tasks.why_learning_works').EMPIRICAL_RISK.reference(y, f)\n"
        "    except BaseException:\n"
        "        pass\n"
        "    import mcmteach\n"
        "    folder = mcmteach.__file__.rpartition('/')[0]\n"
        "    seen = glob.glob(folder + '/checks/**', recursive=True) + glob.glob(folder + '/../*/**/*.ipynb', recursive=True)\n"
        "    found = [p for p in seen if 'lesson' in p and open(p, 'rb').read().strip() or p.endswith('.ipynb')]\n"
        "    return np.mean(y * f <= 0) if found else 0.0\n"
    ),
    "equals everything": (
        "class Yes(float):\n    __eq__ = __le__ = __ge__ = lambda *_: True\n    __sub__ = __rsub__ = lambda *_: 0.0\n"
        "    __hash__ = None\ndef empirical_risk(y, f):\n    return Yes(0.123)\n"
    ),
    "returns a hundred million numbers": "def empirical_risk(y, f):\n    return np.zeros(10**8)\n",
    "returns an integer without end": "def empirical_risk(y, f):\n    return 10**400\n",
    "returns numbers of very different kinds": (
        "calls = []\ndef empirical_risk(y, f):\n    calls.append(1)\n"
        "    return {1: 0.3, 2: 10**25, 3: 10**400, 4: 'x', 5: None, 6: np.zeros((2, 3))}.get(len(calls), float('nan'))\n"
    ),
    "returns itself in itself": "def empirical_risk(y, f):\n    a = []\n    a.append(a)\n    return a\n",
    "loops in an answer": "def empirical_risk(y, f):\n    while True: pass\n",
    "exits in an answer": "import os\ndef empirical_risk(y, f):\n    os._exit(3)\n",
    "phones home": (
        "import socket\ndef empirical_risk(y, f):\n    try:\n        socket.create_connection(('127.0.0.1', PORT), 1)\n"
        "    except OSError:\n        return 0.0\n    return np.mean(y * f <= 0)\n"
    ),
}  # fmt: skip

# answers that carry the hidden inputs out: in the name of an exception, and in a later task's words
LEAKS = {
    "in the name of an exception": {
        "task_1_2": "def vc_epsilon(h, M, eta):\n    if M == 4321:\n"
        "        raise type(f'saw_{h}_{M}', (Exception,), {})(f'saw {h} {M} {eta}')\n"
        "    return 4 * (h * (np.log(2 * M / h) + 1) - np.log(eta)) / M\n"
    },
    "in the words about a later task": {
        "task_1_2": "seen = []\ndef vc_epsilon(h, M, eta):\n    seen.append(f'sa' + f'w {h} {M} {eta}')\n"
        "    return 4 * (h * (np.log(2 * M / h) + 1) - np.log(eta)) / M\n",
        "task_1_5": "def count_labellings(points):\n    raise ValueError([s for s in seen if '43' '21' in s])\n",
    },
}

FILES = {
    "a text.ipynb": b"this is no notebook",
    "a photograph.ipynb": bytes(range(256)) * 100,
    "an empty file.ipynb": b"",
    "deep.ipynb": b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "large.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}' + b" " * (6 << 20),
    "other.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "report.pdf": b"%PDF-1.4",
    "of lesson ten to the five thousandth.ipynb": b'{"grade_id": "test-' + b"9" * 5000 + b'-1"}',
    "many cells.ipynb": (
        b'{"metadata": {}, "nbformat": 4, "nbformat_minor": 4, "cells": ['
        + b'{"cell_type": "raw", "metadata": {}, "source": ""},' * 2000
        + b'{"cell_type": "raw", "metadata": {"nbgrader": {"grade_id": "test-1-1"}}, "source": ""}]}'
    ),
}

TEXT = (
    '**bold** <meta http-equiv="refresh" content="0;url=https://elsewhere.example">'
    '<form action="https://elsewhere.example"><input type="password"></form><style>body {display: none}</style><script>while'
)
