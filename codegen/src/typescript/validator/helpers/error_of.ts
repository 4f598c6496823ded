/** The result of a call that the provider answered with an error. */
function errorOf(call«: any», payload«: any»)«: any» {
  const { code, message, side, violations = [], truncated, finding, skew, details, effect, retryable, retryAfterMs } = payload ?? {};
  const isText = (value«: unknown») => typeof value === "string";
  const isViolation = code === "EAGENTRPC_SCHEMA_VIOLATION";
  const isKnown =
    isText(code) &&
    isText(message) &&
    ["request", "response", ...(isViolation ? [] : [undefined])].includes(side) &&
    Array.isArray(violations) &&
    violations.every((violation) => isText(violation?.path) && isText(violation.message));
  if (!isKnown) return call.failed("EAGENTRPC_INVALID_ENVELOPE", "the agent sent an error in an unknown form");
  // A busy process may read the answer only after the deadline. Then both sides agree that it has passed.
  if (code === "EAGENTRPC_DEADLINE_EXCEEDED" && call.rest() <= 0) return call.failed("EAGENTRPC_TIMEOUT", "no response before the deadline");
  // The agent may list more of them than a report has.
  const list = listOf(100, 65_536);
  for (const { path, message, keyword } of violations) addTo(list, () => path, message, keyword);
  const report = { schemaSide: side, violations: list.found.map(defined), truncated: list.truncated || truncated === true };
  // Older providers do not state that they started no handler.
  const refusals = /^(?:EAGENTRPC_(?:BUSY|DEADLINE_EXCEEDED|AUTH_FAILED|FORBIDDEN|NO_CAPABILITY|TENANT_MISMATCH|INVALID_ENVELOPE|KEY_REUSED)|EVERSION_SKEW)$/;
  const hasNoEffect = effect === "none" || refusals.test(code) || (isViolation && side === "request");
  const facts = {
    finding,
    skew,
    ...typedDetails(call, code, details),
    effect: hasNoEffect ? "none" : undefined,
    retryable: typeof retryable === "boolean" ? retryable : undefined,
    retryAfterMs: retryAfterMs >= 0 ? +retryAfterMs : undefined,
    violations: isViolation || violations.length === 0 ? undefined : report.violations,
  };
  return call.failed(code, message, facts, isViolation ? report : {});
}
