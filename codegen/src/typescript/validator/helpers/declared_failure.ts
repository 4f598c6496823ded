/** The answer to a request whose handler failed with a code. Only a code that is declared with details has some. */
function declaredFailure(call«: any», { code, message, details, retryable }«: any»)«: any» {
  const declared = own(call.capability.errors ?? {}, code);
  // A schema that accepts everything accepts no missing details.
  const missing = { path: "", message: "missing required property `details`", keyword: "required" };
  const parsed = declared?.details && (details === undefined ? { ok: false, violations: [missing] } : declared.details.parse(details, { redact: true }));
  const { ok = true, violations, truncated }«: any» = parsed ?? {};
  if (!ok) {
    const error = new Error(`the details of the error \`${code}\` violate their schema`);
    notify(call, Object.assign(error, { violations, truncated }));
    return { ...failedWith("EAGENTRPC_HANDLER_FAILED", error.message), isFinal: true };
  }
  const more = defined(declared ? { retryable: declared.retryable, details: declared.details ? details : undefined } : { retryable });
  // A repetition of a request runs again if it may succeed then.
  return { ...failedWith(code, message, more), isFinal: more.retryable !== true };
}
