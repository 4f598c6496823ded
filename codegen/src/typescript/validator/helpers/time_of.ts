/** The ms that remain for a message that arrives now, and the answer to it if its times refuse it. */
function timeOf({ deadline, headers = {} }«: any», { verify, clockDifferenceMs: difference = 300_000 }«: any»)«: any» {
  const now = Date.now();
  const timeout = headers["capgen-timeout-ms"];
  const rest = +(timeout ?? (deadline === undefined ? 600_000 : deadline - now));
  const late = (lateMs«: number», reason«: string») => {
    const details = defined({ lateMs, timeoutMs: timeout && +timeout });
    return refusedWith("EAGENTRPC_DEADLINE_EXCEEDED", `the deadline passed ${lateMs} ms ago${reason}`, { details });
  };
  // The time that remains does not depend on clocks. The deadline proves that a signed message is not an old one.
  const ahead = deadline - (timeout ?? 0) - now;
  const ofClock = `the clock of the caller is ${ahead} ms ahead of the provider's, and may differ by at most ${difference} ms`;
  let refusal«: any»;
  if (now - deadline > (timeout === undefined ? 0 : verify ? difference : Infinity))
    refusal = late(now - deadline, " by the provider's clock; are the clocks equal?");
  else if (timeout === undefined && ahead > 630_000)
    refusal = refusedWith("EAGENTRPC_INVALID_ENVELOPE", "the deadline of the request is more than 600 s in the future by the provider's clock");
  else if (timeout !== undefined && verify && ahead > difference) refusal = refusedWith("EAGENTRPC_INVALID_ENVELOPE", ofClock);
  return { now, rest, refusal, tooLate: () => late(Date.now() - now - rest, ", before the handler started") };
}
