# Reads questions from stdin and writes the answers of jsonsubschema to stdout, both JSON:
#   [["SMALLER", "LARGER"], ...], where both are JSON texts of schemas -> [true, false, "the reason for no answer", ...]
import json
import multiprocessing
import sys

SECONDS = 10


def ask(smaller, larger, answers):
    from jsonsubschema import isSubschema

    try:
        answers.put(bool(isSubschema(json.loads(smaller), json.loads(larger))))
    except Exception as error:
        lines = str(error).splitlines()
        answers.put(f"{type(error).__name__}: {lines[0] if lines else ''}")


def answer(smaller, larger):
    # The library keeps state between questions, and some of them take very long: each question has a process of its own.
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=ask, args=(smaller, larger, answers))
    process.start()
    try:
        return answers.get(timeout=SECONDS)
    except Exception:
        return f"no answer after {SECONDS} seconds"
    finally:
        process.kill()
        process.join()


if __name__ == "__main__":
    import jsonsubschema  # noqa: F401, imported before the processes are forked

    questions = json.load(sys.stdin)
    json.dump([answer(smaller, larger) for smaller, larger in questions], sys.stdout)
