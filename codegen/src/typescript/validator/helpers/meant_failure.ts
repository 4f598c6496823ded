/** The answer with the error that a handler, or an interceptor, threw. `isMeant` is true for one of `fail`. */
function meantFailure(call«: any», error«: any», who«: string», isMeant«: boolean»)«: any» {
  const failure = isMeant ? error : calledFailure(error);
  if (!failure) return failedWith("EAGENTRPC_HANDLER_FAILED", `the ${who} failed`);
  const { code, message, details }«: any» = failure;
  const retryable = isMeant ? undefined : failure.retryable;
  // A program without types may give anything, which need not have a text.
  const text = typeof message === "string" ? message : `the ${who} failed`;
  // The codes of the protocol have meanings of their own, such as that no handler started.
  const isOwn = typeof code === "string" && /^(?!EAGENTRPC_|EVERSION_SKEW$)\P{Cc}{1,128}$/u.test(code);
  if (isOwn) return declaredFailure(call, { code, message: text, details, retryable });
  return { ...failedWith("EAGENTRPC_HANDLER_FAILED", text, defined({ retryable })), isFinal: !retryable };
}
