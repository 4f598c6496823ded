/** The answer with a response, or with the error if it is invalid. */
function responseAnswer({ capability }«: any», response«: unknown»)«: any» {
  const { ok = true, violations, truncated }«: any» = capability.response?.parse(response, { redact: true }) ?? {};
  if (ok) return { response };
  const report = defined({ side: "response", violations, truncated: truncated || undefined });
  return failedWith("EAGENTRPC_SCHEMA_VIOLATION", "the response violates its schema", report);
}
