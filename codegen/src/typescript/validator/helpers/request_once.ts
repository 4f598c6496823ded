/** Sends the message of a call once, and resolves to the result. Never rejects. */
async function requestOnce(call«: any», attempt«: any», needed«?: string»)«: globalThis.Promise<any>» {
  const { AbortController, performance }«: any» = globalThis;
  const { client, kind, name, capability, options, correlationId, deadline, tenantId, request } = call;
  const { from, to, settings, transport } = client;
  const { number, address, key, heartbeatMs } = attempt;
  const { parent, idempotencyKey, session = parent?.headers["capgen-session"], skew = settings.skew } = options;
  // Names with this start belong to the protocol.
  const given = Object.entries(options.headers ?? {}).filter(([header]) => !header.startsWith("capgen-"));
  const id = freshId();
  attempt.id = id;
  // Of its own, because Node warns about a signal with more than ten listeners, and each attempt may add some.
  const controller = new AbortController();
  call.controllers.set(id, controller);
  // An interceptor may make several calls with one request, each of which has a key for it.
  const counted = call.outer ?? call;
  let [asked, isSent, isFirst]«: any[]» = [undefined, false, false];
  try {
    // The instances at an address of their own have the caller's contract.
    asked = needed || address ? undefined : askedContract(call, number);
    const descriptor = needed ?? asked;
    const headers = defined({
      traceparent: parent?.headers.traceparent,
      "idempotency-key": key,
      ...Object.fromEntries(given),
      "capgen-contract": capability.hash,
      "capgen-version": capability.version,
      "capgen-timeout-ms": `${Math.max(1, Math.floor(call.rest()))}`,
      "capgen-policy": ["refuse", "strict"].includes(skew) ? skew : undefined,
      "capgen-attempt": number > 1 ? `${number}` : undefined,
      "capgen-heartbeat-ms": heartbeatMs && `${heartbeatMs}`,
      "capgen-session": session,
      "capgen-descriptor": descriptor,
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    });
    call.authorization = headers.authorization;
    const ids = { messageId: id, correlationId, causedBy: parent?.messageId };
    const text = await writeEnvelope(
      { version: 1, kind, ...ids, from, to, capability: name, deadline, tenantId, headers, payload: request },
      settings.sign,
    );
    if (call.hasEnded) return;
    const used = address ? transport.at(...address) : transport;
    const message = { to, capability: name, text, timeoutMs: Math.max(1, Math.floor(call.rest())), signal: controller.signal };
    call.isSent = isSent = true;
    isFirst = !counted.requested.has(call.key);
    if (isFirst) counted.requested.add(call.key);
    if ((number > 1 || !isFirst) && !needed) counted.repeats++;
    attempt.heard = performance.now();
    if (kind === "event") {
      await used.publish(message);
      return call.ended("ok", { response: undefined });
    }
    if (!heartbeatMs) {
      const { result, rejected, needsDescriptor }«: any» = await readReply(call, attempt, await used.request(message));
      return needsDescriptor && !descriptor ? requestOnce(call, attempt, JSON.stringify(call.describe())) : (result ?? rejected);
    }
    for await (const reply of used.requestMany(message)) {
      const { result, rejected = call.rejected, needsDescriptor }«: any» = await readReply(call, attempt, reply);
      // Anyone who can send to the address could end the call otherwise.
      call.rejected = rejected;
      if (needsDescriptor && !descriptor) return requestOnce(call, attempt, JSON.stringify(call.describe()));
      if (result) return result;
    }
    throw new Error("the transport has no response");
  } catch (error) {
    attempt.isUnanswered = true;
    const failed = failureOf(call, error);
    isSent &&= failed.error.effect !== "none";
    if (isFirst && !isSent) counted.requested.delete(call.key);
    return failed;
  } finally {
    if (asked && !isSent) client.peer.didNotSend(capability.hash);
    call.controllers.delete(id);
  }
}
