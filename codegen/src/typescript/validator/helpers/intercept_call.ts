/** The result of a call through the interceptors of its client, the first of which is the outermost. Never rejects. */
function interceptCall(call«: any», entry«: any»)«: globalThis.Promise<any>» {
  const { AbortController }«: any» = globalThis;
  const { client, kind, name, options, correlationId } = call;
  const { interceptors } = client.settings;
  const controller = new AbortController();
  call.controllers.set(undefined, controller);
  const failures = new WeakSet();
  // Names with this start belong to the protocol.
  const headers = defined({ traceparent: options.parent?.headers.traceparent, ...options.headers });
  const given = Object.entries(headers).filter(([header]) => !header.startsWith("capgen-"));
  const outgoing = {
    peer: client.to.slice(8),
    capability: name,
    kind,
    request: call.request,
    headers: Object.fromEntries(given),
    timeoutMs: Math.max(1, Math.floor(call.rest())),
    signal: controller.signal,
    correlationId,
    isRepeatable: mayRepeat(call.describe()),
    retries: () => call.repeats,
    fail(code«: string», message«: string», facts«?: any»)«: never» {
      const failure = { code, message, ...facts };
      failures.add(failure);
      throw failure;
    },
  };
  const run = async (index«: number», { request, headers, timeoutMs, signal }«: any»)«: globalThis.Promise<any>» => {
    const interceptor = interceptors[index];
    if (!interceptor) return callOf(client, kind, entry, request, { ...options, headers, timeoutMs, signal }, call);
    const current = { ...outgoing, request, headers, timeoutMs, signal };
    try {
      const result = await interceptor(current, (next«: any» = current) => run(index + 1, next));
      return checkedResult(call, result);
    } catch (error«: any») {
      let reason = "";
      try {
        if (failures.has(error)) return checkedResult(call, { error });
        const { message = error }«: any» = error ?? {};
        if (typeof message === "string") reason = `: ${message}`;
      } catch {
        // A member of the error that is a function of the program threw another one.
      }
      return call.failed("EAGENTRPC_ABANDONED", `an interceptor ended the call${reason}`, { retryable: false });
    }
  };
  return run(0, outgoing);
}
