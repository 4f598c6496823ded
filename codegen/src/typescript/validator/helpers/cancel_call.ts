/** Asks all processes of the agent to end the requests of a call, or the one with an id. */
async function cancelCall(call«: any», reason«: string», causedBy«?: string»)«: globalThis.Promise<void>» {
  const { AbortController }«: any» = globalThis;
  const { client, kind, name, correlationId, deadline, tenantId } = call;
  const { from, to, settings, transport } = client;
  const timeoutMs = Math.max(1, Math.floor(call.rest()));
  if (kind === "event" || !call.isSent || !transport.at) return;
  try {
    // Without a signature, the token alone proves that the cancel is from the caller.
    const authorization = settings.sign ? undefined : call.authorization;
    const headers = defined({ authorization, "capgen-control": "cancel", "capgen-timeout-ms": `${timeoutMs}` });
    const ids = { messageId: freshId(), correlationId, causedBy };
    const text = await writeEnvelope(
      { version: 1, kind: "control", ...ids, from, to, capability: name, deadline, tenantId, headers, payload: { reason } },
      settings.sign,
    );
    await transport.at("control").publish({ to, capability: name, text, timeoutMs, signal: new AbortController().signal });
  } catch {
    // The provider ends the request at its deadline.
  }
}
