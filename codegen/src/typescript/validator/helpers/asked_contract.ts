/**
 * The caller's contract as text, if an earlier response asked for it and the request of a call has room for it: once for each contract of
 * the agent. The agent compares it beside the calls, so none may fail because of its size.
 */
function askedContract({ client, kind, capability, describe, request }«: any», number«: number»)«: string | undefined» {
  const { peer, transport } = client;
  if (kind !== "request" || number !== 1 || !peer.wants(capability.hash)) return;
  const { TextEncoder }«: any» = globalThis;
  const sizeOf = (text«?: string») => new TextEncoder().encode(text).length;
  const text = JSON.stringify(describe());
  const size = sizeOf(text);
  // Agents read no larger ones.
  const isTooLarge = size > 262_144;
  // The quotes in it are escaped, and there are other headers.
  const whole = 2 * size + sizeOf(JSON.stringify(request)) + 32_768;
  if (!isTooLarge && whole > Math.min(524_288, transport.maxMessage ?? Infinity)) return;
  peer.sends(capability.hash);
  return isTooLarge ? undefined : text;
}
