"""A hook of the user's own: ``recorder.py LOG EVENT [PAYLOAD]`` appends what it was told to LOG.

The payload is its last word, where a harness gives one, else what stands on stdin.
"""

import json
import sys

log, event, *given = sys.argv[1:]
payload = json.loads(given[0] if given else sys.stdin.read())
with open(log, "a", encoding="utf-8") as file:
    file.write(json.dumps({"event": event, "payload": payload}) + "\n")
