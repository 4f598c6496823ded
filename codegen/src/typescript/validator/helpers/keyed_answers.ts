/**
 * Runs requests with equal idempotency keys once, and gives the answer to all of them: within a time in ms. It keeps at most some
 * answers of together some characters; if there are more, requests with a new key are refused.
 */
function keyedAnswers(windowMs«: number», most«: number», room«: number»)«: any» {
  let kept = 0;
  const entries = expiring(({ text }«: any») => (kept -= text.length));
  /** Keeps the answer to the first request with a key if it is final, and returns its text then. */
  const keep = (call«: any», key«: string», answer«: any») => {
    const { headers, correlationId, deadline } = call.parts;
    const { response, error, isFinal } = answer ?? {};
    const entry = call.entry;
    entry.cancel = undefined;
    entries.delete(key);
    if (!isFinal || !JSON.stringify(error ?? response ?? null)) return;
    entry.text = JSON.stringify({ response, error });
    kept += entry.text.length;
    // Only the attempts of one call have its id as their key. They share its deadline, after which they are refused anyway.
    const isOwn = headers["idempotency-key"] === correlationId && (deadline ?? headers["capgen-timeout-ms"]) !== undefined;
    entries.set(key, entry, isOwn ? call.now + call.rest : Date.now() + windowMs);
    return entry.text;
  };
  /** Runs the first request with a key. A handler that goes on after the end of its request has the key until it ends. */
  const first = (call«: any», key«: string», payload«: string») => {
    call.entry = { payload, waiting: 0 };
    entries.set(key, call.entry, Infinity);
    const running = runCall(call);
    // By now, one of several versions was chosen. All answers have its contract.
    const { capability, method, describe } = call;
    call.entry.ran = { capability, method, describe };
    call.entry.ended = running.then(
      (answer«: any») => keep(call, key, answer),
      () => keep(call, key, undefined),
    );
    // A response that is not JSON is not kept.
    call.entry.ended = call.entry.ended.catch(() => undefined);
    return running;
  };
  return async (call«: any»)«: globalThis.Promise<any>» => {
    const { from, tenantId = null, capability, headers, payload } = call.parts;
    const name = headers?.["idempotency-key"];
    if (name === undefined) return runCall(call);
    let text«: string»;
    try {
      text = JSON.stringify(payload);
    } catch {
      return refusedWith("EAGENTRPC_INVALID_ENVELOPE", "the payload is nested too deeply");
    }
    // Answers for one principal are not for another one, although one agent sends the requests of both.
    const principal = call.principal ? [call.principal.issuer, call.principal.subject] : [];
    const [key, hash] = await Promise.all([hashOf(JSON.stringify([from, tenantId, capability, name, ...principal])), hashOf(text)]);
    while (!call.signal.aborted) {
      const entry = entries.get(key, Date.now());
      if (!entry) {
        if (entries.count(Date.now()) < most && kept < room) return first(call, key, hash);
        return refusedWith("EAGENTRPC_BUSY", "the provider cannot remember more requests");
      }
      if (entry.payload !== hash) return refusedWith("EAGENTRPC_KEY_REUSED", "the idempotency key was used for another request");
      // From now on, the handler of another request may have run for this one.
      Object.assign(call, entry.ran, { hasStarted: true });
      entry.waiting++;
      const found = entry.text ?? (await Promise.race([entry.ended, call.interrupted.then(() => undefined)]));
      entry.waiting--;
      if (entry.waiting === 0) entry.cancel?.();
      if (found !== undefined) return JSON.parse(found);
    }
  };
}
