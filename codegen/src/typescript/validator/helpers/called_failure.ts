/** The failure of a handler that does not handle the error of a call that it made; `undefined` if it threw another error. */
function calledFailure(error«: any»)«: any» {
  // The class may be that of another agent's client.
  if (!(error instanceof Error)) return;
  const { code, message, details, retryable, result }«: any» = error;
  if (typeof code !== "string" || typeof result?.correlationId !== "string" || result.error?.code !== code) return;
  return { code, message: `a call failed: ${message}`, details, retryable: retryable === true || undefined };
}
