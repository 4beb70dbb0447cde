"""Runs a command on a pseudo terminal and answers its prompts, like a user at a keyboard.

    terminal.py '[["question", "answer"], …]' command …

Types each answer once its prompt is on the screen. Copies the screen to stdout and exits with the code of the command.
"""

import json
import os
import pty
import select
import sys
import time

TIMEOUT = 20

answers, command = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)

seen, deadline = b"", time.monotonic() + TIMEOUT
while True:
    ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        os.write(2, f"still waiting for {answers[0][0] if answers else 'the end'}\n".encode())
        os.kill(child, 9)
        break
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    os.write(1, data)
    seen += data
    if answers and answers[0][0].encode() in seen:
        os.write(terminal, answers[0][1].encode() + b"\r")
        answers, seen, deadline = answers[1:], b"", time.monotonic() + TIMEOUT
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 70)
