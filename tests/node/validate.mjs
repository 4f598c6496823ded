// Reads a job, as in `generated.mjs`, from stdin and writes its result to stdout, both JSON:
//   [{"file": "...", "checks": [{"type": "AbRequest", "payloads": ["1", "2"]}]}] -> for each file, check and payload the
//   verdict of `is`, whether `parse` and `assert` agree, the violations, and their messages under `redact`:
//   [[[{"isValid": true, "agrees": true, "violations": [], "truncated": false, "redacted": []}]]]
import { job, load } from "./generated.mjs";

function check(module, type, text) {
  const value = JSON.parse(text);
  const verdict = module[`is${type}`](value);
  const result = module[`parse${type}`](value);
  let error;
  try {
    module[`assert${type}`](value);
  } catch (thrown) {
    error = thrown;
  }
  const violations = result.ok ? [] : result.violations;
  const redacted = module[`parse${type}`](value, { redact: true }).violations ?? [];
  const agrees =
    result.ok === verdict &&
    // Without values, violations can be equal, and equal ones are reported once.
    redacted.length <= violations.length &&
    redacted.length > 0 === violations.length > 0 &&
    (result.ok ? result.value === value : violations.length > 0) &&
    (verdict
      ? error === undefined
      : JSON.stringify(error.violations) === JSON.stringify(violations) && error.truncated === result.truncated);
  return {
    isValid: verdict,
    agrees,
    violations: violations.map(({ path, keyword, message }) => [path, keyword, message]),
    truncated: !result.ok && result.truncated,
    redacted: redacted.map(({ message }) => message),
  };
}

const results = [];
for (const { file, checks } of job) {
  const module = await load(file);
  results.push(checks.map(({ type, payloads }) => payloads.map((text) => check(module, type, text))));
}
process.stdout.write(JSON.stringify(results));
