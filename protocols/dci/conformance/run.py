#!/usr/bin/env python3
"""Runs the conformance cases of this folder against a program.

usage: run.py [--cases TEXT] PROGRAM [ARGUMENT...]

For example, `run.py capgen dci` runs `capgen dci resolve ...` and `capgen dci parse ...`. With `--cases TEXT`, only cases whose path
contains TEXT run. README.md describes the format of cases, and the comparison. Python 3.9 is enough.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NOW = "2026-01-02T03:04:05Z"


def prepare(case, folder):
    """Copies a case, and creates the folders and links that a repository cannot contain."""
    copy = pathlib.Path(folder) / "case"
    shutil.copytree(case["folder"], copy)
    for path in case.get("git", []):
        (copy / path / ".git").mkdir()
    for link in case.get("links", []):
        (copy / link["path"]).symlink_to(link["target"])
    return copy


def output_of(text, what):
    """The JSON document in the output of a program, and a list of problems."""
    try:
        return json.loads(text), []
    except ValueError as error:
        return None, [f"the {what} is not JSON: {error}"]


def clauses(found):
    """The result of `parse` in the form of expected.json: no empty clauses, and numbers of tokens instead of their texts."""
    if not isinstance(found, dict) or found.get("ok") is not True:
        return {"ok": False} if isinstance(found, dict) and found.get("ok") is False else found
    return {
        "ok": True,
        "canonical": found.get("canonical"),
        "mode": found.get("mode"),
        "clauses": {name: values for name, values in found.get("clauses", {}).items() if values},
        "invalid_tokens": len(found.get("invalid_tokens", [])),
        "unknown_clauses": len(found.get("unknown_clauses", [])),
    }


def differences(found, expected, pointer=""):
    """The JSON Pointers at which two documents differ. Numbers are compared by value: `1` equals `1.0`."""
    kinds = [bool, str, list, dict, (int, float), type(None)]
    kind = [next(i for i, k in enumerate(kinds) if isinstance(v, k)) for v in (found, expected)]
    if kind[0] != kind[1]:
        return [f"{pointer or '/'}: {json.dumps(found)} instead of {json.dumps(expected)}"]
    if isinstance(expected, dict):
        problems = [f"{pointer}/{key}: missing" for key in expected if key not in found]
        problems += [f"{pointer}/{key}: not expected" for key in found if key not in expected]
        for key in expected:
            if key in found:
                problems += differences(found[key], expected[key], f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
        return problems
    if isinstance(expected, list) and len(found) == len(expected):
        return [p for i, pair in enumerate(zip(found, expected)) for p in differences(*pair, f"{pointer}/{i}")]
    if found != expected:
        return [f"{pointer or '/'}: {json.dumps(found)} instead of {json.dumps(expected)}"]
    return []


def compare(case, status, text):
    """The problems of one run."""
    problems = [] if status == case["exit"] else [f"exit status {status} instead of {case['exit']}"]
    expected_path = case["folder"] / "expected.json"
    if not expected_path.exists():
        return problems + (["a report, although the input is invalid"] if text.strip() else [])
    expected = json.loads(expected_path.read_text(encoding="utf-8"))
    found, invalid = output_of(text, "output")
    if invalid:
        return problems + invalid
    if case["command"] == "parse":
        found = clauses(found)
    elif isinstance(found, dict):
        run_id = found.pop("run_id", None)
        if not isinstance(run_id, str) or not re.fullmatch("[0-9a-f]{32}", run_id):
            problems.append(f"/run_id: {json.dumps(run_id)} instead of 32 hex digits")
    return problems + differences(found, expected)


def run(case, program):
    """Runs one case in a temporary folder; returns its problems."""
    command = program + [case["command"], *case["args"], "--json"]
    if case["command"] == "resolve":
        command += ["--now", NOW]
    with tempfile.TemporaryDirectory() as folder:
        copy = prepare(case, folder)
        done = subprocess.run(command, cwd=copy, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return compare(case, done.returncode, done.stdout.decode("utf-8", "replace"))


def cases():
    for path in sorted(HERE.glob("*/*/case.json")):
        yield {**json.loads(path.read_text(encoding="utf-8")), "folder": path.parent}


def main(arguments):
    part = ""
    if arguments[:1] == ["--cases"] and len(arguments) > 1:
        part, arguments = arguments[1], arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program = [shutil.which(arguments[0]) or os.path.abspath(arguments[0]), *arguments[1:]]
    count = failed = 0
    for case in cases():
        name = case["folder"].relative_to(HERE).as_posix()
        if part not in name:
            continue
        count += 1
        problems = run(case, program)
        if problems:
            failed += 1
            print(f"FAILED {name} ({case['rule']}): {case['description']}")
            for problem in problems:
                print(f"    {problem}")
    print(f"{count} cases, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
