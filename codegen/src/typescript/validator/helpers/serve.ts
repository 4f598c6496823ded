/** The text of the response to a message; `undefined` if it has none. */
async function serve(agent«: string», capabilities«: any», methods«: any», text«: string», handlers«: any», settings«: any» = {}, refusalOf«?: any»)«: globalThis.Promise<any>» {
  const { clearTimeout, setTimeout }«: any» = globalThis;
  const failed = (code«: string», message«: string», more«?: any») => ({ error: { code, message, ...more } });
  /** The error of a request whose handler did not start. */
  const refused = (code«: string», message«: string», more«?: any») => failed(code, message, { effect: "none", ...more });
  const to = `agent://${agent}`;
  let parts«: any»;
  try {
    parts = JSON.parse(text);
  } catch {}
  const { kind, messageId, correlationId, from, capability: name, tenantId, deadline, headers = {}, payload } = parts ?? {};
  // A sender that made a mistake gets an answer, if the message shows where to.
  const isAnswerable = isEnvelope({ version: 1, kind, messageId, correlationId, from, to, capability: name, payload: 0 });
  if (!isAnswerable || kind === "response" || kind === "control") return;
  const capability = own(capabilities, name);
  // Only the answers to proved requests are signed, so that no one can use the agent to forge responses.
  let isProved = !settings.verify;
  const answer = async ()«: globalThis.Promise<any>» => {
    const now = Date.now();
    if (!readEnvelope(text)) return refused("EAGENTRPC_INVALID_ENVELOPE", "the message is not a valid envelope");
    if (parts.to !== to) return refused("EAGENTRPC_INVALID_ENVELOPE", "the request is for another agent");
    const { "capgen-timeout-ms": timeout, "capgen-version": version, "capgen-policy": policy } = headers;
    const numbers«: any» = { "capgen-timeout-ms": [1, 600_000], "capgen-attempt": [2, 4_294_967_295], "capgen-heartbeat-ms": [250, 30_000] };
    for (const [header, [least, most]] of Object.entries«<any>»(numbers)) {
      const number = headers[header];
      if (number !== undefined && !(/^[1-9]\d*$/.test(number) && number >= least && number <= most))
        return refused("EAGENTRPC_INVALID_ENVELOPE", `the header \`${header}\` is invalid: it is not a number from ${least} to ${most}`);
    }
    if (![undefined, "refuse", "strict"].includes(policy))
      return refused("EAGENTRPC_INVALID_ENVELOPE", "the header `capgen-policy` is invalid: it is neither `refuse` nor `strict`");
    const tooLate = (lateMs«: number», reason«: string») => {
      const details = defined({ lateMs, timeoutMs: timeout && +timeout });
      return refused("EAGENTRPC_DEADLINE_EXCEEDED", `the deadline passed ${lateMs} ms ago${reason}`, { details });
    };
    // The time that remains does not depend on clocks. The deadline proves that a signed message is not an old one.
    const { clockDifferenceMs: difference = 300_000 } = settings;
    const ahead = deadline - (timeout ?? 0) - now;
    if (now - deadline > (timeout === undefined ? 0 : settings.verify ? difference : Infinity))
      return tooLate(now - deadline, " by the provider's clock; are the clocks equal?");
    if (timeout === undefined && ahead > 630_000)
      return refused("EAGENTRPC_INVALID_ENVELOPE", "the deadline of the request is more than 600 s in the future by the provider's clock");
    if (timeout !== undefined && settings.verify && ahead > difference)
      return refused("EAGENTRPC_INVALID_ENVELOPE", `the clock of the caller is ${ahead} ms ahead of the provider's, and may differ by at most ${difference} ms`);
    const rest = +(timeout ?? (deadline === undefined ? 600_000 : deadline - now));
    if (settings.tenants && !settings.tenants.includes(tenantId))
      return refused("EAGENTRPC_TENANT_MISMATCH", "the agent does not serve the tenant of the request");
    if (settings.verify && !(await isAuthentic(text, parts, settings.verify)))
      return refused("EAGENTRPC_AUTH_FAILED", "the signature of the request is missing or invalid");
    isProved = true;
    if (!capability) return refused("EAGENTRPC_NO_CAPABILITY", `the agent \`${agent}\` has no capability \`${name}\``);
    const [method]«: any» = Object.keys(methods).filter((key) => methods[key][0] === name);
    const { hash, version: ours } = capability;
    const skew = (reason«: string») =>
      defined({
        callerVersion: version,
        callerContract: headers["capgen-contract"],
        providerVersion: ours,
        providerContract: hash,
        served: ours && [ours],
        reason,
      });
    const refusal = version === undefined ? undefined : refusalOf?.(methods[method][1](), version);
    if (refusal) return refused(refusal[0], refusal[1], refusal[0] === "EVERSION_SKEW" ? { skew: skew("version") } : {});
    const invalid = (side«: string», value«: unknown») => {
      const { ok = true, violations, truncated }«: any» = capability[side]?.parse(value, { redact: true }) ?? {};
      if (ok) return;
      const more«: any» = defined({ side, violations, truncated: truncated || undefined });
      if (side === "response") return failed("EAGENTRPC_SCHEMA_VIOLATION", "the response violates its schema", more);
      if ([undefined, hash].includes(headers["capgen-contract"])) return refused("EAGENTRPC_SCHEMA_VIOLATION", "the request violates its schema", more);
      return refused("EVERSION_SKEW", unreadable(violations[0], ours, version), { ...more, retryable: true, skew: skew("payload") });
    };
    const found = invalid("request", payload);
    if (found) return found;
    // Without a comparison of the contracts, a caller with a stricter policy than this agent's is refused.
    const { idempotent, sideEffects }«: any» = methods[method][1]();
    const isRepeatable = idempotent === true || ["pure", "idempotent"].includes(sideEffects);
    if (kind === "request" && ![undefined, hash].includes(headers["capgen-contract"]) && (policy === "strict" || (policy && !isRepeatable))) {
      const message = "the contracts of the caller and the provider differ, and the provider does not know the caller's";
      return refused("EVERSION_SKEW", message, { skew: skew("unknown-contract") });
    }
    if (Date.now() - now > rest) return tooLate(Date.now() - now - rest, ", before the handler started");
    let failure«: any», timer«: any»;
    const context = {
      caller: from.slice(8),
      capability: name,
      messageId,
      correlationId,
      tenantId,
      deadline: (timeout ?? deadline) === undefined ? undefined : now + rest,
      headers,
      fail(code«: string», message«: string»)«: never» {
        throw (failure = { code, message });
      },
    };
    const late = new Promise((resolve) => {
      const message = "the deadline passed before the handler ended";
      timer = setTimeout(() => resolve(failed("EAGENTRPC_TIMEOUT", message)), now + rest - Date.now());
    });
    const run = async () => {
      const response = await handlers[method](payload, context);
      return invalid("response", response) || { response };
    };
    try {
      return await Promise.race([run(), late]);
    } catch (error) {
      if (failure && error === failure)
        // The codes of the protocol have meanings of their own, such as that no handler started.
        return failed(/^(?!EAGENTRPC_|EVERSION_SKEW$)\P{Cc}{1,128}$/u.test(failure.code) ? `${failure.code}` : "EAGENTRPC_HANDLER_FAILED", `${failure.message}`);
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
        headers: defined({
          "capgen-contract": capability?.hash,
          "capgen-version": headers?.["capgen-contract"] === capability?.hash ? undefined : capability?.version,
          "capgen-status": error && "error",
        }),
        payload: error ?? response,
      },
      isProved ? settings.sign : undefined,
    );
  const answered = await answer();
  if (kind === "event") return;
  isProved ||= readEnvelope(text) !== undefined && (await isAuthentic(text, parts, settings.verify));
  return respond(answered).catch(() => respond(failed("EAGENTRPC_HANDLER_FAILED", "the response cannot be sent")));
}
