/** Validates a request, and runs its handler. An answer that is final is the same if the request is repeated. */
async function runCall(call«: any»)«: globalThis.Promise<any>» {
  const { parts, found: candidates = [call], handlers, signal } = call;
  const { kind, headers = {}, payload } = parts;
  const { "capgen-contract": contract, "capgen-policy": policy } = headers;
  const isSame = () => [undefined, call.capability.hash].includes(contract);
  const invalid = () => {
    const { capability } = call;
    const { ok = true, violations, truncated }«: any» = capability.request?.parse(payload, { redact: true }) ?? {};
    if (ok) return;
    const more«: any» = defined({ side: "request", violations, truncated: truncated || undefined });
    if (isSame()) return refusedWith("EAGENTRPC_SCHEMA_VIOLATION", "the request violates its schema", more);
    const message = unreadable(violations[0], capability.version, headers["capgen-version"]);
    return refusedWith("EVERSION_SKEW", message, { ...more, retryable: true, skew: skewOf(call, "payload") });
  };
  /** Why a policy refuses a caller with another contract. Without a verdict on the contract, such a caller is refused. */
  const refused = (refusing«: string», sides«: any») => {
    if (kind !== "request" || isSame()) return;
    const descriptor = call.describe();
    if (![policy, descriptor.skew].includes(refusing) || (refusing === "refuse" && mayRepeat(descriptor))) return;
    const verdict = call.verdictOf?.(call, sides) ?? {
      reason: "unknown-contract",
      message: "the contracts of the caller and the provider differ, and the provider does not know the caller's",
    };
    const { reason, message, finding }«: any» = verdict;
    if (reason) return refusedWith("EVERSION_SKEW", message, defined({ skew: skewOf(call, reason), finding }));
  };
  // The first version that can read the payload runs it; otherwise, the violations are those of the first of all.
  const choose = ({ capability, method, describe }«: any») => {
    Object.assign(call, { capability, method, describe });
    return refused("strict", ["request", "response"]) ?? invalid();
  };
  if (candidates.every(choose)) return choose(candidates[0]);
  const refusal = refused("refuse", ["response"]);
  if (refusal) return refusal;
  if (Date.now() - call.now > call.rest) return call.tooLate();
  // The answer of a request that was cancelled or stopped in the meantime is known.
  if (signal.aborted) return;
  call.hasStarted = true;
  try {
    return { ...responseAnswer(call, await handlers[call.method](payload, contextOf(call))), isFinal: true };
  } catch (error) {
    return thrownFailure(call, error, "handler");
  }
}
