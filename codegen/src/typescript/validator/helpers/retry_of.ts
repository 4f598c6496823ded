/** The policy of retries with its defaults. Throws if it has a mistake. */
function retryOf(policy«: any» = {})«: any» {
  const { attempts = 1, firstPauseMs = 50, longestPauseMs = 2000, heartbeatMs = 1000, attemptTimeoutMs, hedgeAfterMs } = policy;
  const numbers«: any» = { attempts, firstPauseMs, longestPauseMs, heartbeatMs, attemptTimeoutMs, hedgeAfterMs };
  const wrong = Object.keys(numbers).find((name) => numbers[name] !== undefined && !(numbers[name] >= 1));
  let mistake = wrong && `\`retry.${wrong}\` must be a number of at least 1`;
  if (attemptTimeoutMs && hedgeAfterMs) mistake = "`retry.attemptTimeoutMs` and `retry.hedgeAfterMs` exclude each other";
  if (mistake) throw Object.assign(new RangeError(mistake), { code: "EAGENTRPC_INVALID_ENVELOPE", effect: "none" });
  return { ...numbers, attempts: Math.min(attempts, 64), heartbeatMs: Math.min(Math.max(250, Math.round(heartbeatMs)), 30_000) };
}
