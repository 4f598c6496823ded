/** The result that an interceptor returned, if it is one, and its response is valid. */
function checkedResult(call«: any», result«: any»)«: any» {
  const { status, response, skew, schemaSide, violations, truncated = false, error }«: any» = result ?? {};
  if (status === "ok" && call.kind === "event") return call.ended("ok", { response: undefined });
  if (status === "ok") return invalidPayload(call, "response", response) ?? call.ended("ok", { response, ...(skew && { skew }) });
  const isText = (value«: unknown») => typeof value === "string";
  const isViolation = error?.code === "EAGENTRPC_SCHEMA_VIOLATION";
  const isReport = ["request", "response"].includes(schemaSide) && Array.isArray(violations);
  if (!isText(error?.code) || !isText(error.message) || (isViolation && !isReport))
    return call.failed("EAGENTRPC_ABANDONED", "an interceptor did not return the result of a call", { retryable: false });
  const { code, message, declared: _, details, ...facts } = error;
  const report = isViolation ? { schemaSide, violations, truncated, ...("response" in result ? { response } : {}) } : {};
  return call.failed(code, message, { ...facts, ...typedDetails(call, code, details) }, report);
}
