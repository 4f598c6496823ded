/**
 * Decides about callers with older contracts by a table, which has the verdict on each side for the method that runs and the hash of
 * the caller: why one of some sides may fail, if one may. `undefined` if the table has no such row.
 */
function verdictsOf(table«: any»)«: any» {
  return ({ method, parts }«: any», sides«: any»)«: any» => {
    const row = own(own(table, method) ?? {}, parts.headers?.["capgen-contract"]);
    if (!row) return;
    // Accepted findings count from the day after the last one on which they are accepted.
    const today = new Date().toISOString().slice(0, 10);
    const counts = (found«: any») => found !== "fits" && !(found.acceptedUntil >= today);
    const failing = (side«: string») => [row[side]].flat().find(counts);
    const [side, found] = sides.map((side«: string») => [side, failing(side)]).find(([, found]«: any») => found) ?? [];
    if (!side) return {};
    const [sender, receiver] = side === "request" ? ["caller", "provider"] : ["provider", "caller"];
    const { code, message, verdict, ...rest }«: any» = found === "undecided" ? { verdict: found, side } : found;
    const finding = defined({ ...rest, code, message, acceptedUntil: undefined });
    if (verdict) return { reason: verdict, message: `it is not known whether the ${receiver} accepts every ${side} of the ${sender}`, finding };
    return {
      reason: side === "request" ? "payload" : "response",
      message: code ? `${side}: ${message} (${code})` : `the ${receiver} rejects a ${side} that the ${sender} may send`,
      finding,
    };
  };
}
