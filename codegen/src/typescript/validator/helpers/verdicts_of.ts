/**
 * Decides about callers with older contracts by a table, which has the verdict on each side for the method that runs and the hash of
 * the caller: why one of some sides may fail, if one may. `undefined` if the table has no such row.
 */
function verdictsOf(table«: any»)«: any» {
  return ({ method, parts }«: any», sides«: any»)«: any» => {
    const row = own(own(table, method) ?? {}, parts.headers?.["capgen-contract"]);
    const side = row && sides.find((side«: string») => row[side] !== "fits");
    if (!side) return row && {};
    const [sender, receiver] = side === "request" ? ["caller", "provider"] : ["provider", "caller"];
    if (row[side] === "undecided")
      return { reason: "undecided", message: `it is not known whether the ${receiver} accepts every ${side} of the ${sender}` };
    const { code, message } = row[side];
    return {
      reason: side === "request" ? "payload" : "response",
      message: code ? `${side}: ${message} (${code})` : `the ${receiver} rejects a ${side} that the ${sender} may send`,
      finding: row[side],
    };
  };
}
