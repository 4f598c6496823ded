/**
 * The text of the response to a message; `undefined` if it has none. `server` has the functions of a server that remembers requests.
 */
async function serve(agent«: string», capabilities«: any», methods«: any», text«: string», handlers«: any», settings«: any» = {}, refusalOf«?: any», candidatesOf«?: any», verdictOf«?: any», server«?: any»)«: globalThis.Promise<any>» {
  const { AbortController, clearTimeout }«: any» = globalThis;
  const to = `agent://${agent}`;
  let parts«: any»;
  try {
    parts = JSON.parse(text);
  } catch {}
  const { kind, messageId, correlationId, from, capability: name, tenantId } = parts ?? {};
  // A sender that made a mistake gets an answer, if the message shows where to.
  const isAnswerable = isEnvelope({ version: 1, kind, messageId, correlationId, from, to, capability: name, payload: 0 });
  if (!isAnswerable || kind === "response" || kind === "control") return;
  const requirements = requirementsOf(methods, capabilities);
  // In a map, because the time of a property of an object shows whether it exists.
  const stated = requirements.names.get(name) ?? requirements.unknown;
  const { capability, method, describe, asked, count } = stated;
  const controller = new AbortController();
  if (!server) requireAuthorization(asked.slice(0, count).flatMap(({ described }«: any») => described ?? []), settings);
  const call«: any» = { agent, text, parts, capability, method, describe, requirements, stated, handlers, settings, refusalOf, verdictOf, server };
  call.signal = controller.signal;
  call.candidates = (version«?: string») => candidatesOf?.(call, capabilities, methods, version) ?? { found: [call] };
  call.envelope = readEnvelope(text);
  // Only the answers to proved requests are signed, so that no one can use the agent to forge responses.
  call.isProved = settings.verify ? undefined : true;
  // Resolves if the request ends before its handler does: to the answer, or to `undefined` if its caller cancelled it.
  call.interrupted = new Promise((resolve) => {
    call.interrupt = (answer«: any») => {
      resolve(answer);
      controller.abort();
    };
  });
  call.write = (headers«: any», payload«: unknown», tenant«: any» = tenantId)«: globalThis.Promise<string>» =>
    writeEnvelope(
      {
        version: 1,
        kind: "response",
        messageId: freshId(),
        correlationId,
        causedBy: messageId,
        from: to,
        to: from,
        capability: name,
        tenantId: tenant ?? undefined,
        headers: defined({ ...headers, "capgen-features": server?.features }),
        payload,
      },
      call.isProved ? settings.sign : undefined,
    );
  const respond = async ({ response = null, error }«: any», code«: any» = error?.code)«: globalThis.Promise<string>» => {
    // An answer that may come before the decision, or takes the place of one, does not show whether the capability exists.
    const isEarly = /^EAGENTRPC_(?:ABANDONED|AUTH_FAILED|BUSY|DEADLINE_EXCEEDED|FORBIDDEN|INVALID_ENVELOPE|NO_CAPABILITY|TENANT_MISMATCH)$/;
    const isHidden = hasAuthorization(settings) && isEarly.test(code);
    const { hash, version }«: any» = (!isHidden && call.capability) || {};
    const { reason }«: any» = (!error && call.verdictOf?.(call, ["response"])) || {};
    const headers = {
      "capgen-contract": hash,
      "capgen-version": parts.headers?.["capgen-contract"] === hash ? undefined : version,
      "capgen-status": error && "error",
      "capgen-skew": reason && JSON.stringify(skewOf(call, reason)),
    };
    return call.write(headers, error ? wellFormed(error) : response, code === "EAGENTRPC_INVALID_ENVELOPE" ? null : tenantId);
  };
  server?.enter(call);
  try {
    call.work = (async () => (await admitCall(call)) ?? (settings.interceptors?.length > 0 ? interceptRequest(call) : answerCall(call)))();
    const answered = await Promise.race([call.work, call.interrupted]);
    if (kind === "event" || !answered) return;
    // The deadline of a request that was refused before its signature was verified may be anything.
    const proof = () => untilEnd(isAuthentic(text, parts, settings.verify), undefined, 10_000).catch(() => undefined);
    call.isProved ??= call.envelope !== undefined && (await proof()) !== undefined;
    const unsent = failedWith("EAGENTRPC_HANDLER_FAILED", "the response cannot be sent");
    const fail = () => respond(unsent, answered.error?.code);
    return await respond(answered)
      .catch(fail)
      .catch((error«: unknown») => {
        // It cannot be signed.
        call.isProved = false;
        notify(call, error);
        return fail();
      });
  } finally {
    clearTimeout(call.timer);
  }
}
