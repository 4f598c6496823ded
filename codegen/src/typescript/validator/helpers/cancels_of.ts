/** The requests that run, to cancel them, and the cancels that arrived before their request. */
function cancelsOf({ verify }«: any»)«: any» {
  const running«: any» = new Map();
  /** The number of early cancels of each caller. */
  const counts«: any» = new Map();
  const count = (caller«: string», more«: number») => {
    const sum = (counts.get(caller) ?? 0) + more;
    if (sum > 0) counts.set(caller, sum);
    else counts.delete(caller);
  };
  const early = expiring((caller) => count(caller, -1));
  // A request has the id of its call, and each attempt its own id. A cancel without the latter is for all attempts.
  const keyOf = ({ from, tenantId = null, capability, correlationId }«: any», ...id«: any[]») =>
    JSON.stringify([from, tenantId, capability, correlationId, ...id]);
  return {
    /** Registers a request that runs, and returns the function that removes it. */
    run: (call«: any») => {
      const key = keyOf(call.envelope);
      const calls = running.get(key) ?? new Set();
      running.set(key, calls.add(call));
      return () => {
        calls.delete(call);
        if (calls.size === 0 && running.get(key) === calls) running.delete(key);
      };
    },
    isRunning: (message«: any») => running.has(keyOf(message)),
    isCancelled: (request«: any», now«: number») =>
      early.count(now) > 0 && [[], [request.messageId]].some((id) => early.get(keyOf(request, ...id), now) !== undefined),
    /** Cancels the requests that a message of a caller is for. If they may still arrive, it is kept until a time, and for 30 s at most. */
    cancel: (message«: any», caller«: string», now«: number», end«: number») => {
      const { causedBy } = message;
      const found = [...(running.get(keyOf(message)) ?? [])].filter((call) => [undefined, call.envelope.messageId].includes(causedBy));
      for (const call of found) call.cancel();
      // One that is not proved may be a forged copy of the request that the cancel is for.
      if (causedBy !== undefined && found.some(({ isProved }«: any») => isProved)) return;
      const key = keyOf(message, ...(causedBy === undefined ? [] : [causedBy]));
      // Of each caller 256, so that none can take the room of all others; but without signatures, each could state any sender.
      const isFull = early.count(now) >= 4096 || (counts.get(caller) ?? 0) >= (verify ? 256 : 4096);
      if (isFull || early.get(key, now) !== undefined) return;
      count(caller, 1);
      early.set(key, caller, Math.min(end, now + 30_000));
    },
  };
}
