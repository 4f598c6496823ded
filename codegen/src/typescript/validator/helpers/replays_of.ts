/**
 * The function that remembers a signed message, given its proof: the answer to one that was received before, or that cannot be
 * remembered.
 */
function replaysOf({ clockDifferenceMs = 300_000 }«: any», capacity = 1_250_000)«: any» {
  /** The number of messages of each caller: an agent with a key of its own, or all others together. */
  const counts«: any» = new Map();
  const count = (caller«: string», more«: number») => {
    const sum = (counts.get(caller) ?? 0) + more;
    if (sum > 0) counts.set(caller, sum);
    else counts.delete(caller);
  };
  const seen = expiring((caller) => count(caller, -1));
  return async ({ from, messageId, deadline }«: any», { kind }«: any»)«: globalThis.Promise<any>» => {
    // Others can state both ids, but with another proof.
    const id = await hashOf(JSON.stringify([kind, from, messageId]));
    const now = Date.now();
    if (seen.get(id, now) !== undefined) return refusedWith("EAGENTRPC_AUTH_FAILED", "the request was received before");
    const caller = kind === "agent-key" ? from : "";
    // A caller may hold four times the number that is still free, so that others find room: a million if it is alone.
    if ((counts.get(caller) ?? 0) >= 4 * (capacity - seen.count(now)))
      return refusedWith("EAGENTRPC_BUSY", "the provider cannot remember more requests");
    count(caller, 1);
    // From then on, its deadline refuses it.
    seen.set(id, caller, (deadline ?? now + 630_000) + clockDifferenceMs + 2);
  };
}
