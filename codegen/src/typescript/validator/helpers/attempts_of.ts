/**
 * The result of the attempts of a call. A new one starts only if one is lost, or if the client hedges. Every answer counts until the
 * deadline, so that a call that succeeds with its first attempt alone also succeeds with further ones. The first one may have an address.
 */
function attemptsOf(call«: any», isRepeatable«: boolean», first«?: string[]»)«: globalThis.Promise<any>» {
  const { performance }«: any» = globalThis;
  const { peer, transport } = call.client;
  const { attempts, attemptTimeoutMs, hedgeAfterMs, heartbeatMs } = call.retry;
  const isRepeated = isRepeatable && attempts > 1;
  const key = isRepeated ? call.key : undefined;
  const interval = isRepeated && transport.requestMany ? heartbeatMs : undefined;
  /** The attempts that have no answer yet. */
  const waiting«: any» = new Set();
  /** The number of attempts that started, and of those that may have reached the agent. */
  let [count, reached] = [0, 0];
  /** The result if no attempt succeeds: 1 without an answer, 2 an error that is retryable, 3 an invalid response. */
  let [fallback, weight]«: any[]» = [undefined, 0];
  let [next, hedge, end]«: any[]» = [];
  let most = attempts;
  const mayFollow = () => isRepeated && count < most;
  const stopTimers = () => {
    next?.prevent();
    hedge?.();
    next = hedge = undefined;
  };
  const noMore = () => {
    count = most;
    stopTimers();
  };
  const remember = (result«: any», its«: number») => {
    if (its >= weight) [fallback, weight] = [result, its];
  };
  /** Starts the next attempt after a pause, unless one starts before. */
  const follow = (ms«?: number») => {
    if (count >= most) return;
    const pause = pauseOf(call, ms, count);
    const at = performance.now() + pause;
    if (next?.at <= at) return;
    next?.prevent();
    next = { at, prevent: call.after(pause, start) };
  };
  /** Another attempt may follow one that is lost. Its answer counts nevertheless. */
  const lose = (attempt«: any») => {
    if (attempt.isLost || !waiting.has(attempt) || !mayFollow()) return;
    attempt.isLost = true;
    follow();
  };
  /** Looks after an attempt whose provider should send heartbeats, and may be silent for three of them. */
  const watch = (attempt«: any», wait«: number», isOver = false)«: void» => {
    call.after(wait, () => {
      if (!waiting.has(attempt)) return;
      const rest = attempt.heard + 3 * interval - performance.now();
      if (rest > 0) watch(attempt, rest);
      // While the process was busy, messages may have arrived that it has not read yet.
      else if (!isOver) watch(attempt, 10, true);
      else if (attempt.isHeard || peer.sendsHeartbeats()) lose(attempt);
      else watch(attempt, 3 * interval);
    });
  };
  const answered = (attempt«: any», result«: any») => {
    if (call.hasEnded || !waiting.delete(attempt)) return;
    const { status, schemaSide, error } = result;
    if (attempt.isUnanswered && error.effect === "none") {
      reached--;
      if (attempt.isExtra) peer.giveBack();
    }
    const isRefused = error?.code === "EVERSION_SKEW" && error.effect === "none";
    if (attempt.address && error?.effect === "none") {
      // Nothing ran there, so further attempts go to any instance.
      peer.prefer(call.capability.hash, false);
      if (attempt.isUnanswered) {
        // It counts as no attempt.
        if (attempt.number === call.sent) call.sent--;
        count--;
        return start();
      }
      // Another instance may serve the request that this one did not, also without retries.
      if (attempts === 1 && !isRefused) {
        most = 2;
        follow(error.retryAfterMs);
        remember(result, 2);
        return settle();
      }
    }
    const isInvalid = schemaSide === "response" && "response" in result;
    if (status === "ok" || (!isRefused && !isInvalid && !error.retryable && !attempt.isUnanswered)) return finish(result);
    if (isInvalid || isRefused || !error.retryable) noMore();
    else if (!attempt.isLost && (isRepeatable || error.effect === "none")) follow(error.retryAfterMs);
    remember(result, attempt.isUnanswered ? 1 : isInvalid ? 3 : 2);
    settle();
  };
  const start = () => {
    stopTimers();
    const isExtra = reached > 0;
    if (!isExtra || peer.take()) {
      count++;
      reached++;
      const attempt«: any» = { number: ++call.sent, address: first, key, heartbeatMs: interval, isExtra, heard: performance.now() };
      first = undefined;
      waiting.add(attempt);
      if (attemptTimeoutMs) call.after(attemptTimeoutMs, () => lose(attempt));
      if (interval) watch(attempt, 3 * interval);
      void requestOnce(call, attempt).then((result«: any») => answered(attempt, result));
    }
    if (hedgeAfterMs && mayFollow()) hedge = call.after(hedgeAfterMs, start);
    settle();
  };
  /** Ends the call. The attempts that did not decide it are cancelled. */
  const finish = (result«: any») => {
    stopTimers();
    for (const { id } of waiting) void cancelCall(call, "superseded", id);
    waiting.clear();
    end(result);
  };
  /** Ends the call if no attempt waits and none follows. */
  const settle = () => {
    if (waiting.size === 0 && !next) finish(fallback);
  };
  call.last = () => (weight > 1 || waiting.size === 0 ? fallback : undefined);
  return new Promise((resolve) => {
    end = resolve;
    start();
  });
}
