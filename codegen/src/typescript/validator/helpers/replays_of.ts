/** The function that remembers a signed message: the answer to one that was received before, or that cannot be remembered. */
function replaysOf({ clockDifferenceMs = 300_000 }«: any»)«: any» {
  const seen = expiring();
  return async ({ from, messageId, deadline }«: any»)«: globalThis.Promise<any>» => {
    const id = await hashOf(JSON.stringify([from, messageId]));
    const now = Date.now();
    if (seen.get(id, now)) return refusedWith("EAGENTRPC_AUTH_FAILED", "the request was received before");
    if (seen.count(now) >= 1_000_000) return refusedWith("EAGENTRPC_BUSY", "the provider cannot remember more requests");
    // From then on, its deadline refuses it.
    seen.set(id, true, (deadline ?? now + 630_000) + clockDifferenceMs + 2);
  };
}
