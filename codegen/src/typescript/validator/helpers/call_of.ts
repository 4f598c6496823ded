/** The result of a call, or of an event. Never rejects. `outer` is the call if an interceptor of the client makes it. */
async function callOf(client«: any», kind«: string», entry«: any», request«: unknown», options«: any» = {}, outer«?: any»)«: globalThis.Promise<any>» {
  const { clearTimeout, performance, setTimeout }«: any» = globalThis;
  const { settings, open } = client;
  const { parent } = options;
  const [label, describe] = entry;
  // Of several versions of a capability, each has a label of its own, and all have one name.
  const [name] = label.split("@");
  const capability = client.capabilities[label];
  const start = performance.now();
  const timeoutMs = options.timeoutMs ?? capability.timeoutMs ?? settings.timeoutMs ?? 30_000;
  const most = outer?.rest() ?? (parent?.deadline ?? Infinity) - Date.now();
  const limit = Math.min(Math.max(1, Math.round(timeoutMs)) || 1, 600_000, most);
  const latencyMs = () => Math.floor(performance.now() - start);
  const timers«: any» = new Set();
  const call«: any» = {
    client,
    outer,
    kind,
    name,
    describe,
    capability,
    request,
    options,
    correlationId: outer?.correlationId ?? freshId(),
    deadline: Math.min(Math.round(Date.now() + limit), outer?.deadline ?? Infinity),
    tenantId: options.tenantId ?? parent?.tenantId ?? settings.tenantId,
    /** The idempotency keys of the requests that the interceptors of the client pass on, by their texts. */
    keys: new Map(),
    /** Those of the signals of the messages that wait for an answer, by the ids of these. */
    controllers: new Map(),
    /** The number of messages that were sent. */
    sent: 0,
    /** The keys of the requests that were sent, also by the calls that interceptors make. */
    requested: new Set(),
    /** The number of messages that repeated one of them. */
    repeats: 0,
    /** The ms until the deadline. */
    rest: () => start + limit - performance.now(),
    /** Runs a function later, unless the call ends before. Returns the function that prevents it. */
    after: (ms«: number», run«: () => void») => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        run();
      }, ms);
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    ended: (status«: string», more«: any») => ({ status, ...more, correlationId: call.correlationId, latencyMs: latencyMs() }),
    failed: (code«: string», message«: string», { retryable, ...facts }«: any» = {}, more«: any» = {}) => {
      const [, known] = /^EAGENTRPC_(TIMEOUT|ABANDONED|BUSY|SCHEMA_VIOLATION)$/.exec(code) ?? [];
      const status = known?.toLowerCase().replace("_", "-") ?? "error";
      const isRetryable = retryable ?? /^EAGENTRPC_(TIMEOUT|ABANDONED|BUSY|NO_PEER)$/.test(code);
      return call.ended(status, { ...more, error: { code, message, retryable: isRetryable, ...defined(facts) } });
    },
  };
  const abandoned = (message«: string») => call.failed("EAGENTRPC_ABANDONED", message, { retryable: false });
  const [dropped, closed] = ["the caller abandoned the call", "the client is closed"];
  const found = invalidPayload(call, "request", request);
  if (found) return found;
  if (limit < 1) return call.failed("EAGENTRPC_TIMEOUT", "the deadline of the call that caused this one has passed");
  // An outer call aborts the signal that it gives to an interceptor, which may replace it.
  const signals = [options.signal, outer ? outer.controllers.get(undefined)?.signal : parent?.signal].filter(Boolean);
  if (signals.some(({ aborted }) => aborted)) return abandoned(dropped);
  if (settings.signal?.aborted) return abandoned(closed);
  if (!outer && open.size >= (settings.maxInFlight ?? 1024)) return call.failed("EAGENTRPC_BUSY", "too many calls are in flight", { effect: "none" });
  let [drop, close]«: any[]» = [];
  const leave = () => {
    call.hasEnded = true;
    for (const controller of call.controllers.values()) controller.abort();
  };
  const stopped = new Promise((resolve) => {
    const stop = (result«: any») => {
      resolve(result);
      leave();
    };
    const late = () => stop(call.last?.() ?? call.rejected ?? call.failed("EAGENTRPC_TIMEOUT", "no response before the deadline"));
    const abort = (reason«: string», message«: string») => () => {
      // The call that this one serves may end at the same deadline, which is rounded. Both sides know it.
      if (call.rest() <= 2) return late();
      stop(abandoned(message));
      // An interceptor may make the call again, with the same id.
      for (const id of outer ? call.controllers.keys() : [undefined]) void cancelCall(call, reason, id);
    };
    [drop, close] = [abort("abandoned", dropped), abort("closed", closed)];
    call.after(limit, late);
  });
  const unheard = signals.map((each) => client.onAbort(each, drop));
  if (settings.signal && !outer) unheard.push(client.onAbort(settings.signal, close));
  // Only an interceptor hands on a response.
  if (outer) outer.last = () => [call.last?.(), call.rejected].find((result) => result && result.status !== "ok");
  else open.add(call);
  try {
    call.retry = options.retry ? retryOf(options.retry) : client.retry;
    call.key = outer ? attemptKey(outer, request) : call.correlationId;
    const send = () => (kind === "event" ? requestOnce(call, {}) : requestAny(call));
    const isIntercepted = !outer && settings.interceptors?.length > 0;
    const result«: any» = await Promise.race([isIntercepted ? interceptCall(call, entry) : send(), stopped]);
    // It may be the error of an attempt that ended before.
    result.latencyMs = latencyMs();
    return result;
  } catch (error) {
    return failureOf(call, error);
  } finally {
    leave();
    for (const timer of timers) clearTimeout(timer);
    for (const stop of unheard) stop();
    open.delete(call);
  }
}
