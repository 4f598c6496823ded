/** The context of a call that is being served, which its interceptors and its handler share. */
function contextOf(call«: any»)«: any» {
  const { parts, now, rest, signal } = call;
  const { from, capability, messageId, correlationId, tenantId, headers = {} } = parts;
  /** Those that `fail` threw. */
  call.failures ??= new WeakSet();
  call.context ??= {
    caller: from.slice(8),
    capability,
    messageId,
    correlationId,
    tenantId,
    deadline: (headers["capgen-timeout-ms"] ?? parts.deadline) === undefined || rest === undefined ? undefined : now + rest,
    headers,
    signal,
    proof: call.proof ?? { kind: "none" },
    principal: call.principal,
    fail(code«: string», message«: string», details«?: unknown»)«: never» {
      const failure = { code, message, details };
      call.failures.add(failure);
      throw failure;
    },
  };
  return call.context;
}
