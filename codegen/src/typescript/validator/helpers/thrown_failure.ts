/** The answer to a request whose handler, or an interceptor, threw an error. */
function thrownFailure(call«: any», error«: any», who«: string»)«: any» {
  const { context, failures, settings, signal } = call;
  if (!failures.has(error)) {
    // The error of a handler that was interrupted is mostly the interruption.
    if (!signal.aborted) settings.onError?.(error, context);
    return failedWith("EAGENTRPC_HANDLER_FAILED", `the ${who} failed`);
  }
  // The codes of the protocol have meanings of their own, such as that no handler started.
  const isOwn = /^(?!EAGENTRPC_|EVERSION_SKEW$)\P{Cc}{1,128}$/u.test(error.code);
  if (isOwn) return declaredFailure(call, error, context);
  return { ...failedWith("EAGENTRPC_HANDLER_FAILED", `${error.message}`), isFinal: true };
}
