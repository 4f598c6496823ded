/** The pause in ms after some attempts, or the one that the provider asks for. There is time for the next attempt after it. */
function pauseOf(call«: any», asked«: number | undefined», attempts«: number»)«: number» {
  const { firstPauseMs, longestPauseMs } = call.retry;
  // Random, so that callers do not repeat their calls at the same time.
  const pause = asked ?? Math.random() * Math.min(firstPauseMs * 2 ** (attempts - 1), longestPauseMs);
  return Math.min(pause, call.rest() / 2);
}
