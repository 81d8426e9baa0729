"""Submissions that mean no good, or are no submissions at all. ``CELLS``: a cell to put before the answers. ``ANSWERS``: an
answer in the place of a right one. ``FILES``: what is no notebook."""

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
        "if got:\n    os._exit(77)"
    ),
    "deletes files": "import shutil\nfor place in ('/tmp', '/home', '/'):\n    shutil.rmtree(place, ignore_errors=True)",
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
        "        return importlib.import_module('mcmteach.checks.lesson01').EMPIRICAL_RISK.reference(y, f)\n"
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
    "returns itself in itself": "def empirical_risk(y, f):\n    a = []\n    a.append(a)\n    return a\n",
    "loops in an answer": "def empirical_risk(y, f):\n    while True: pass\n",
    "exits in an answer": "import os\ndef empirical_risk(y, f):\n    os._exit(3)\n",
    "phones home": (
        "import socket\ndef empirical_risk(y, f):\n    try:\n        socket.create_connection(('127.0.0.1', PORT), 1)\n"
        "    except OSError:\n        return 0.0\n    return np.mean(y * f <= 0)\n"
    ),
}  # fmt: skip

FILES = {
    "a text.ipynb": b"this is no notebook",
    "a photograph.ipynb": bytes(range(256)) * 100,
    "an empty file.ipynb": b"",
    "deep.ipynb": b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "large.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}' + b" " * (6 << 20),
    "other.ipynb": b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "report.pdf": b"%PDF-1.4",
}
