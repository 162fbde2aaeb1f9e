"""Another part of the process reads Python while signatures are read: CPython 3.11 fails then."""

import json
import subprocess
import sys

SCRIPT = """
import ast, contextlib, gc, json, math, sys, threading, time

from toolsearch_source_python._function import python_function
from toolsearch_source_python._stubs import Stubs

gc.set_threshold(3)
gc.callbacks.append(lambda phase, info: time.sleep(0))
sys.setswitchinterval(1e-5)
text, over = "x = [1, 2, 3]\\n" * 4, threading.Event()

def read():
    while not over.is_set():
        with contextlib.suppress(SystemError):
            ast.parse(text)
        time.sleep(0.0002)

reader = threading.Thread(target=read)
reader.start()
names, stubs = ["isclose", "prod", "ldexp", "fmod", "gcd", "comb"] * 10, Stubs()
try:
    found = [python_function(getattr(math, name), name, stubs=stubs).spec.name for name in names]
finally:
    over.set()
    reader.join()
print(json.dumps(found == names))
"""


def test_a_signature_is_read_although_another_thread_reads_python_too():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) is True
