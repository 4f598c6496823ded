/** A server of an agent, which remembers requests: to cancel them, to run duplicates once, and to refuse replays. */
function serverOf(agent«: string», capabilities«: any», methods«: any», handlers«: any», settings«: any» = {}, refusalOf«?: any»)«: any» {
  const { clearTimeout, setTimeout }«: any» = globalThis;
  const { maxInFlight = 1280, idempotencyWindowMs = 300_000, clockDifferenceMs = 300_000, verify, tenants, receivesControl } = settings;
  for (const [option, value] of Object.entries({ maxInFlight, idempotencyWindowMs }))
    if (!(value >= 1)) throw new RangeError(`\`${option}\` must be a number of at least 1`);
  const cancels = cancelsOf();
  const once = keyedAnswers(idempotencyWindowMs, 100_000, 67_108_864);
  const seen = expiring();
  /** The messages that are being handled. */
  const pending«: any» = new Set();
  let inFlight = 0;
  let isDraining = false;
  const refusal = () => {
    if (isDraining) return refusedWith("EAGENTRPC_ABANDONED", "the provider stopped before the handler started");
    if (inFlight > maxInFlight) return refusedWith("EAGENTRPC_BUSY", "the provider has too many requests");
  };
  /** The answer to a signed message that was received before, or that cannot be remembered. */
  const replayed = async ({ from, messageId, deadline }«: any»)«: globalThis.Promise<any>» => {
    const id = await hashOf(JSON.stringify([from, messageId]));
    const now = Date.now();
    if (seen.get(id, now)) return refusedWith("EAGENTRPC_AUTH_FAILED", "the request was received before");
    if (seen.count(now) >= 1_000_000) return refusedWith("EAGENTRPC_BUSY", "the provider cannot remember more requests");
    // From then on, its deadline refuses it.
    seen.set(id, true, (deadline ?? now + 630_000) + clockDifferenceMs + 2);
  };
  /** Sends the proof that a request runs, again and again. A caller does not rely on each one, so failures do not matter. */
  const beat = (call«: any», send«: any») => {
    const interval = +call.envelope.headers?.["capgen-heartbeat-ms"];
    if (!send || !interval || call.envelope.kind !== "request") return;
    const next = (wait«: number») => {
      call.heartbeat = setTimeout(async () => {
        try {
          const text = await call.write({ "capgen-frame": "working" }, null);
          if (!call.hasEnded) await send(text);
        } catch {}
        if (!call.hasEnded) next(interval);
      }, wait);
    };
    next(call.now + interval - Date.now());
  };
  const handle = async (text«: string», { send }«: any» = {})«: globalThis.Promise<any>» => {
    let [call, leave]«: any[]» = [];
    const enter = (entered«: any») => {
      call = entered;
      // A request goes on as long as others wait for its answer.
      call.cancel = () => (call.entry?.waiting > 0 ? (call.entry.cancel = call.interrupt) : call.interrupt());
      if (call.envelope?.kind === "request") leave = cancels.run(call);
    };
    /** The answer to a request whose sender is proved, if it does not run. */
    const admit = async ({ envelope }«: any»)«: globalThis.Promise<any>» => {
      const answer = verify && (await replayed(envelope));
      call.isProved = answer?.error.code !== "EAGENTRPC_AUTH_FAILED";
      if (answer) return answer;
      if (cancels.isCancelled(envelope, Date.now())) return refusedWith("EAGENTRPC_ABANDONED", "the caller cancelled the request");
      beat(call, send);
    };
    const features = [send && "heartbeat", receivesControl && "cancel"].filter(Boolean).join(" ") || undefined;
    inFlight++;
    const message«: any» = { stop: () => call?.interrupt(stopped(call)) };
    pending.add(message);
    message.handled = serve(agent, capabilities, methods, text, handlers, settings, refusalOf, { features, refusal, admit, once, enter });
    try {
      return await message.handled;
    } finally {
      pending.delete(message);
      leave?.();
      if (call) call.hasEnded = true;
      clearTimeout(call?.heartbeat);
      // A handler that goes on after its request ended takes its place until it ends.
      const free = () => inFlight--;
      Promise.resolve(call?.work).then(free, free);
    }
  };
  const stopped = ({ hasStarted }«: any») =>
    (hasStarted ? failedWith : refusedWith)("EAGENTRPC_ABANDONED", "the provider stopped before the handler ended");
  const control = async (text«: string»)«: globalThis.Promise<void>» => {
    try {
      const message = text.length <= 1_048_576 && readEnvelope(text);
      const isCancel = message?.kind === "control" && message.headers?.["capgen-control"] === "cancel" && message.to === `agent://${agent}`;
      if (!isCancel || invalidHeader(message.headers) || (tenants && !tenants.includes(message.tenantId))) return;
      const { now, rest, refusal } = timeOf(message, settings);
      // Without signatures, its deadline proves nothing.
      if (verify && (refusal || !(await isAuthentic(text, message, verify)) || (await replayed(message)))) return;
      cancels.cancel(message, Date.now(), now + rest);
    } catch {
      // The message may be anything, and no one waits for an answer.
    }
  };
  const shutdown = async (patienceMs = 5000)«: globalThis.Promise<boolean>» => {
    isDraining = true;
    const isIdle = async (ms«: number»)«: globalThis.Promise<any>» => {
      let timer«: any»;
      const late = new Promise((resolve) => (timer = setTimeout(() => resolve(false), Math.min(ms, 2_147_483_647))));
      const ended = Promise.allSettled([...pending].map(({ handled }) => handled)).then(() => true);
      const isInTime = await Promise.race([ended, late]);
      clearTimeout(timer);
      return isInTime;
    };
    const isInTime = await isIdle(patienceMs);
    for (const { stop } of pending) stop();
    if (!isInTime) await isIdle(5000);
    return isInTime;
  };
  return { handle, control, shutdown };
}
