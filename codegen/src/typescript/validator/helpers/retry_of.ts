/** The policy of retries with its defaults. Throws if it has a mistake. */
function retryOf(policy«: any» = {})«: any» {
  const { attempts = 1, firstPauseMs = 50, longestPauseMs = 2000, heartbeatMs = 1000, attemptTimeoutMs, hedgeAfterMs } = policy;
  const times«: any» = { firstPauseMs, longestPauseMs, heartbeatMs, attemptTimeoutMs, hedgeAfterMs };
  // A timer for a longer time ends at once.
  const most = 2_147_483_647;
  const wrong = Object.keys(times).find((name) => times[name] !== undefined && !(times[name] >= 1 && times[name] <= most));
  let mistake = wrong && `\`retry.${wrong}\` must be a number from 1 to ${most}`;
  if (!(Number.isInteger(attempts) && attempts >= 1 && attempts <= 64)) mistake = "`retry.attempts` must be an integer from 1 to 64";
  if (attemptTimeoutMs && hedgeAfterMs) mistake = "`retry.attemptTimeoutMs` and `retry.hedgeAfterMs` exclude each other";
  if (mistake) throw Object.assign(new RangeError(mistake), { code: "EAGENTRPC_INVALID_ENVELOPE", effect: "none" });
  return { ...times, attempts, heartbeatMs: Math.min(Math.max(250, Math.round(heartbeatMs)), 30_000) };
}
