/** A server of an agent, which remembers requests: to cancel them, to run duplicates once, and to refuse replays. */
function serverOf(agent«: string», capabilities«: any», methods«: any», handlers«: any», settings«: any» = {}, refusalOf«?: any», candidatesOf«?: any», verdictOf«?: any»)«: any» {
  const { clearTimeout, setTimeout }«: any» = globalThis;
  const { maxInFlight = 1280, idempotencyWindowMs = 300_000, verify, tenants, receivesControl } = settings;
  for (const [option, value] of Object.entries({ maxInFlight, idempotencyWindowMs }))
    if (!(value >= 1)) throw new RangeError(`\`${option}\` must be a number of at least 1`);
  requireAuthorization(Object.values«<any>»(methods).flatMap(([label, describe]) => (label ? [describe()] : [])), settings);
  if (settings.interceptors?.some((each«: any») => typeof each !== "function")) throw new TypeError("`interceptors` must be functions");
  const [cancels, replayed] = [cancelsOf(settings), replaysOf(settings)];
  const once = keyedAnswers(idempotencyWindowMs, 100_000, 67_108_864);
  /** The messages that are being handled. */
  const pending«: any» = new Set();
  let inFlight = 0;
  let isDraining = false;
  const refusal = () => {
    if (isDraining) return refusedWith("EAGENTRPC_ABANDONED", "the provider stopped before the handler started");
    if (inFlight > maxInFlight) return refusedWith("EAGENTRPC_BUSY", "the provider has too many requests");
  };
  const handle = async (text«: string», { send }«: any» = {})«: globalThis.Promise<any>» => {
    let [call, leave]«: any[]» = [];
    const enter = (entered«: any») => {
      call = entered;
      // A request goes on as long as others wait for its answer.
      call.cancel = () => (call.entry?.waiting > 0 ? (call.entry.cancel = call.interrupt) : call.interrupt());
      if (call.envelope?.kind === "request") leave = cancels.run(call);
    };
    /** The answer to a request with a valid signature, if it does not run. */
    const admit = async ({ envelope, proof }«: any»)«: globalThis.Promise<any>» => {
      const answer = verify && (await replayed(envelope, proof));
      call.isProved = answer?.error.code !== "EAGENTRPC_AUTH_FAILED";
      if (answer) return answer;
      if (cancels.isCancelled(envelope, Date.now())) return refusedWith("EAGENTRPC_ABANDONED", "the caller cancelled the request");
      beat(call, send);
    };
    const stop = () => {
      const ended = call?.hasStarted ? failedWith : refusedWith;
      call?.interrupt(ended("EAGENTRPC_ABANDONED", "the provider stopped before the handler ended"));
    };
    const features = [send && "heartbeat", receivesControl && "cancel"].filter(Boolean).join(" ") || undefined;
    inFlight++;
    const hooks = { features, refusal, admit, once, enter };
    const handled = serve(agent, capabilities, methods, text, handlers, settings, refusalOf, candidatesOf, verdictOf, hooks);
    const message = { handled, stop };
    pending.add(message);
    try {
      return await handled;
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
  // A flood of control messages must not take the time of the requests, so those of a caller above a number in a second are dropped.
  // Every process receives the cancels of all, which must not use up the room of its own. An agent with a key is a caller; all others
  // together are one.
  let [second, counts]«: any[]» = [0, {}];
  const control = async (text«: string»)«: globalThis.Promise<void>» => {
    try {
      const message = text.length <= 1_048_576 && readEnvelope(text);
      const isCancel = message?.kind === "control" && message.headers?.["capgen-control"] === "cancel" && message.to === `agent://${agent}`;
      if (!isCancel || invalidHeader(message.headers) || (tenants && !tenants.includes(message.tenantId))) return;
      const { now, rest, refusal: untimely } = timeOf(message, settings);
      // Without signatures, its deadline proves nothing.
      const proof = verify && !untimely && (await isAuthentic(text, message, verify));
      if (verify && !proof) return;
      const current = Math.floor(Date.now() / 1000);
      if (current !== second) [second, counts] = [current, {}];
      const caller = proof?.kind === "agent-key" ? message.from : "";
      const kind = `${cancels.isRunning(message) ? "running" : "unknown"} ${caller}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (counts[kind] > 1000 || (proof && (await replayed(message, proof)))) return;
      cancels.cancel(message, caller, Date.now(), now + rest);
    } catch {
      // The message may be anything, and no one waits for an answer.
    }
  };
  /** Whether the messages that are being handled end within a time. */
  const areDone = async (ms«: number»)«: globalThis.Promise<any>» => {
    let timer«: any»;
    const late = new Promise((resolve) => (timer = setTimeout(() => resolve(false), Math.min(ms, 2_147_483_647))));
    const done = Promise.allSettled(Array.from(pending, ({ handled }«: any») => handled)).then(() => true);
    const inTime = await Promise.race([done, late]);
    clearTimeout(timer);
    return inTime;
  };
  const shutdown = async (patienceMs = 5000)«: globalThis.Promise<boolean>» => {
    isDraining = true;
    const inTime = await areDone(patienceMs);
    for (const { stop } of pending) stop();
    // Their answers still have to be signed.
    if (!inTime) await areDone(5000);
    return inTime;
  };
  return { handle, control, shutdown };
}
