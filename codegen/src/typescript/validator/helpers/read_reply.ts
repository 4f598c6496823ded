/** The result of a call in a message that arrived for it; `rejected` is the reason why the message is not the response. */
async function readReply(call«: any», attempt«: any», text«: string»)«: globalThis.Promise<any>» {
  const { performance }«: any» = globalThis;
  const { client, correlationId, name } = call;
  const { from, to, settings, peer } = client;
  const rejected = (code«: string», message«: string») => ({ rejected: call.failed(code, message) });
  const response = readEnvelope(text);
  if (!response) return rejected("EAGENTRPC_INVALID_ENVELOPE", "the response is not a valid envelope");
  if (settings.verify && !(await isAuthentic(text, response, settings.verify)))
    return rejected("EAGENTRPC_AUTH_FAILED", "the signature of the response is missing or invalid");
  const { kind, headers = {}, payload } = response;
  const isExpected =
    kind === "response" && response.correlationId === correlationId && response.from === to && response.to === from && response.capability === name;
  const frame = headers["capgen-frame"];
  if (isExpected && frame === "working" && attempt.heartbeatMs) {
    Object.assign(attempt, { heard: performance.now(), isHeard: true });
    return {};
  }
  if (!isExpected || frame !== undefined) return rejected("EAGENTRPC_INVALID_ENVELOPE", "the message is not the response to this request");
  peer.responded(headers["capgen-features"]);
  const { "capgen-status": status = "ok", "capgen-needs": needs, "capgen-contract": contract } = headers;
  const needsDescriptor = needs === "descriptor";
  if (status !== "ok") return { result: errorOf(call, payload), needsDescriptor };
  if (needsDescriptor && contract !== undefined && contract !== call.capability.hash) peer.asks(call.capability.hash, contract);
  let skew«: any»;
  try {
    skew = JSON.parse(headers["capgen-skew"]);
  } catch {
    // It is mostly absent, and does not decide about the response.
  }
  const ended = () => call.ended("ok", { response: payload, ...(isDict(skew) && { skew }) });
  return { result: invalidPayload(call, "response", payload, headers) ?? ended() };
}
