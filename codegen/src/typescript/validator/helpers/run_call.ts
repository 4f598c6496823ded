/** Validates a request, and runs its handler. An answer that is final is the same if the request is repeated. */
async function runCall(call«: any»)«: globalThis.Promise<any>» {
  const { parts, found: candidates = [call], handlers, settings, signal } = call;
  const { kind, from, capability: name, messageId, correlationId, tenantId, headers = {}, payload } = parts;
  const { "capgen-contract": contract, "capgen-policy": policy } = headers;
  const isSame = () => [undefined, call.capability.hash].includes(contract);
  const invalid = (side«: string», value«: unknown») => {
    const { capability } = call;
    const { ok = true, violations, truncated }«: any» = capability[side]?.parse(value, { redact: true }) ?? {};
    if (ok) return;
    const more«: any» = defined({ side, violations, truncated: truncated || undefined });
    if (side === "response") return failedWith("EAGENTRPC_SCHEMA_VIOLATION", "the response violates its schema", more);
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
    return refused("strict", ["request", "response"]) ?? invalid("request", payload);
  };
  if (candidates.every(choose)) return choose(candidates[0]);
  const refusal = refused("refuse", ["response"]);
  if (refusal) return refusal;
  if (Date.now() - call.now > call.rest) return call.tooLate();
  // The answer of a request that was cancelled or stopped in the meantime is known.
  if (signal.aborted) return;
  call.hasStarted = true;
  let failure«: any»;
  const context = {
    caller: from.slice(8),
    capability: name,
    messageId,
    correlationId,
    tenantId,
    deadline: (headers["capgen-timeout-ms"] ?? parts.deadline) === undefined ? undefined : call.now + call.rest,
    headers,
    signal,
    fail(code«: string», message«: string», details«?: unknown»)«: never» {
      throw (failure = { code, message, details });
    },
  };
  try {
    const response = await handlers[call.method](payload, context);
    return { ...(invalid("response", response) ?? { response }), isFinal: true };
  } catch (error) {
    // The codes of the protocol have meanings of their own, such as that no handler started.
    const isOwn = failure && error === failure && /^(?!EAGENTRPC_|EVERSION_SKEW$)\P{Cc}{1,128}$/u.test(failure.code);
    if (isOwn) return declaredFailure(call, failure, context);
    if (failure && error === failure) return { ...failedWith("EAGENTRPC_HANDLER_FAILED", `${failure.message}`), isFinal: true };
    // The error of a handler that was interrupted is mostly the interruption.
    if (!signal.aborted) settings.onError?.(error, context);
    return failedWith("EAGENTRPC_HANDLER_FAILED", "the handler failed");
  }
}
