/** The text of the response to a message; `undefined` if it has none. */
async function serve(agent«: string», capabilities«: any», methods«: any», text«: string», handlers«: any», settings«: any» = {}, refusalOf«?: any»)«: globalThis.Promise<any>» {
  const { clearTimeout, setTimeout }«: any» = globalThis;
  const failed = (code«: string», message«: string», more«?: any») => ({ error: { code, message, ...more } });
  const to = `agent://${agent}`;
  let parts«: any»;
  try {
    parts = JSON.parse(text);
  } catch {}
  const { kind, messageId, correlationId, from, capability: name, tenantId, deadline, headers = {}, payload } = parts ?? {};
  // A sender that made a mistake gets an answer, if the message shows where to.
  const isAnswerable = isEnvelope({ version: 1, kind, messageId, correlationId, from, to, capability: name, payload: 0 });
  if (!isAnswerable || kind === "response") return;
  const capability = own(capabilities, name);
  const answer = async ()«: globalThis.Promise<any>» => {
    const now = Date.now();
    if (!readEnvelope(text)) return failed("EAGENTRPC_INVALID_ENVELOPE", "the message is not a valid envelope");
    if (parts.to !== to) return failed("EAGENTRPC_INVALID_ENVELOPE", "the request is for another agent");
    if (deadline < now) return failed("EAGENTRPC_DEADLINE_EXCEEDED", "the deadline of the request has passed");
    if (deadline > now + 630_000) return failed("EAGENTRPC_INVALID_ENVELOPE", "the deadline is more than 600 s in the future");
    if (settings.tenants && !settings.tenants.includes(tenantId))
      return failed("EAGENTRPC_TENANT_MISMATCH", "the agent does not serve the tenant of the request");
    if (settings.verify && !(await isAuthentic(text, parts, settings.verify)))
      return failed("EAGENTRPC_AUTH_FAILED", "the signature of the request is missing or invalid");
    if (!capability) return failed("EAGENTRPC_NO_CAPABILITY", `the agent \`${agent}\` has no capability \`${name}\``);
    const [method]«: any» = Object.keys(methods).filter((key) => methods[key][0] === name);
    const version = headers["capgen-version"];
    const refusal = version === undefined ? undefined : refusalOf?.(methods[method][1](), version);
    if (refusal) return failed(refusal[0], refusal[1]);
    const invalid = (side«: string», value«: unknown») => {
      const { ok = true, violations, truncated }«: any» = capability[side]?.parse(value, { redact: true }) ?? {};
      return !ok && failed("EAGENTRPC_SCHEMA_VIOLATION", `the ${side} violates its schema`, defined({ side, violations, truncated: truncated || undefined }));
    };
    const found = invalid("request", payload);
    if (found) return found;
    let failure«: any», timer«: any»;
    const context = {
      caller: from.slice(8),
      capability: name,
      messageId,
      correlationId,
      tenantId,
      deadline,
      headers,
      fail(code«: string», message«: string»)«: never» {
        throw (failure = { code, message });
      },
    };
    const late = new Promise((resolve) => {
      const message = "the deadline passed before the handler ended";
      if (deadline !== undefined) timer = setTimeout(() => resolve(failed("EAGENTRPC_TIMEOUT", message)), deadline - now);
    });
    const run = async () => {
      const response = await handlers[method](payload, context);
      return invalid("response", response) || { response };
    };
    try {
      return await Promise.race([run(), late]);
    } catch (error) {
      if (failure && error === failure)
        return failed(/^[^]{1,128}$/u.test(failure.code) ? `${failure.code}` : "EAGENTRPC_HANDLER_FAILED", `${failure.message}`);
      settings.onError?.(error, context);
      return failed("EAGENTRPC_HANDLER_FAILED", "the handler failed");
    } finally {
      clearTimeout(timer);
    }
  };
  const respond = ({ response = null, error }«: any») =>
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
        tenantId: error?.code === "EAGENTRPC_INVALID_ENVELOPE" ? undefined : tenantId,
        headers: defined({ "capgen-contract": capability?.hash, "capgen-status": error && "error" }),
        payload: error ?? response,
      },
      settings.sign,
    );
  const answered = await answer();
  if (kind === "event") return;
  return respond(answered).catch(() => respond(failed("EAGENTRPC_HANDLER_FAILED", "the response cannot be sent")));
}
