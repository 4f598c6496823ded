/** The answer to a request whose handler, or an interceptor, threw an error. */
function thrownFailure(call«: any», error«: any», who«: string»)«: any» {
  const { failures, signal } = call;
  const isMeant = failures.has(error);
  // The error of a handler that was interrupted is mostly the interruption.
  if (!isMeant && !signal.aborted) notify(call, error);
  try {
    return meantFailure(call, error, who, isMeant);
  } catch {
    // A member of the error that is a function of the program threw another one.
    return failedWith("EAGENTRPC_HANDLER_FAILED", `the ${who} failed`);
  }
}
