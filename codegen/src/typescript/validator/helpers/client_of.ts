/** A client: for each of the methods, with the name and the descriptor of its capability, a function that calls it. */
function clientOf(agent«: string», capabilities«: any», methods«: any», transport«: any», settings«: any»)«: any» {
  const { AbortController, clearTimeout, setTimeout }«: any» = globalThis;
  // A mistake in an option would otherwise make every call fail, with a message that does not name the option.
  const rule = "letters, digits, `.`, `_` and `-`, the first a letter or a digit, and at most 128 of them";
  if (typeof settings.from !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(settings.from)) throw new TypeError(`\`from\` must be the id of an agent: ${rule}`);
  for (const option of ["timeoutMs", "maxInFlight"])
    if (settings[option] !== undefined && !(settings[option] >= 1)) throw new RangeError(`\`${option}\` must be a number of at least 1`);
  const [from, to] = [`agent://${settings.from}`, `agent://${agent}`];
  let inFlight = 0;
  const call = async (kind«: string», [label, describe]«: any», request«: unknown», options«: any» = {})«: globalThis.Promise<any>» => {
    const { parent, signal, idempotencyKey } = options;
    // Of several versions of a capability, each has its own label, and all have one name.
    const [name] = label.split("@");
    const capability = capabilities[label];
    const start = Date.now();
    const correlationId = freshId();
    const ended = (status«: string», more«: any») => ({ status, ...more, correlationId, latencyMs: Date.now() - start });
    const failed = (code«: string», message«: string», more«: any» = {}, facts«: any» = {}) => {
      const [, known] = /^EAGENTRPC_(TIMEOUT|ABANDONED|BUSY|SCHEMA_VIOLATION)$/.exec(code) ?? [];
      const status = known?.toLowerCase().replace("_", "-") ?? "error";
      return ended(status, { ...more, error: { code, message, ...defined(facts) } });
    };
    /** The result of a call whose payload is invalid. */
    const invalid = (schemaSide«: string», value«: unknown», more«?: any», { "capgen-contract": contract, "capgen-version": version }«: any» = {}) => {
      const { ok = true, violations, truncated }«: any» = capability[schemaSide]?.parse(value, { redact: settings.redact }) ?? {};
      if (ok) return;
      const differs = ![undefined, capability.hash].includes(contract);
      const versions = differs && version && capability.version && `the provider has version ${version}, your contract is ${capability.version}: `;
      const message = `${versions || ""}the ${schemaSide} violates its schema`;
      const skew = differs
        ? defined({
            callerVersion: capability.version,
            callerContract: capability.hash,
            providerVersion: version,
            providerContract: contract,
            reason: "response",
          })
        : undefined;
      return failed("EAGENTRPC_SCHEMA_VIOLATION", message, { schemaSide, violations, truncated, ...more }, { skew });
    };
    const timeoutMs = options.timeoutMs ?? capability.timeoutMs ?? settings.timeoutMs ?? 30_000;
    const limit = Math.min(Math.max(1, Math.round(timeoutMs)) || 1, 600_000, (parent?.deadline ?? Infinity) - start);
    const controller = new AbortController();
    const exchange = async (more«?: any»)«: globalThis.Promise<any>» => {
      const headers = defined({
        traceparent: parent?.headers.traceparent,
        // Names with this start belong to the protocol.
        ...Object.fromEntries(Object.entries(options.headers ?? {}).filter(([name]) => !name.startsWith("capgen-"))),
        "capgen-contract": capability.hash,
        "capgen-version": capability.version,
        "capgen-timeout-ms": `${Math.max(1, Math.floor(start + limit - Date.now()))}`,
        "capgen-descriptor": more,
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      });
      const text = await writeEnvelope(
        {
          version: 1,
          kind,
          messageId: freshId(),
          correlationId,
          causedBy: parent?.messageId,
          from,
          to,
          capability: name,
          deadline: start + limit,
          tenantId: options.tenantId ?? parent?.tenantId ?? settings.tenantId,
          headers,
          payload: request,
        },
        settings.sign,
      );
      if (controller.signal.aborted) return;
      const rest = Math.max(1, start + limit - Date.now());
      const message = { to, capability: name, text, timeoutMs: rest, signal: controller.signal };
      if (kind === "event") {
        await transport.publish(message);
        return ended("ok", { response: undefined });
      }
      const reply = await transport.request(message);
      const response = readEnvelope(reply);
      if (!response) return failed("EAGENTRPC_INVALID_ENVELOPE", "the response is not a valid envelope");
      if (settings.verify && !(await isAuthentic(reply, response, settings.verify)))
        return failed("EAGENTRPC_AUTH_FAILED", "the signature of the response is missing or invalid");
      const isExpected =
        response.kind === "response" &&
        response.headers?.["capgen-frame"] === undefined &&
        response.correlationId === correlationId &&
        response.from === to &&
        response.to === from &&
        response.capability === name;
      if (!isExpected) return failed("EAGENTRPC_INVALID_ENVELOPE", "the message is not the response to this request");
      const { "capgen-status": status = "ok", "capgen-needs": needs } = response.headers ?? {};
      if (status === "ok")
        return invalid("response", response.payload, { response: response.payload }, response.headers) ?? ended("ok", { response: response.payload });
      if (needs === "descriptor" && !more) return exchange(JSON.stringify(describe()));
      const { code, message: reason, side: schemaSide, violations = [], truncated, finding, skew, details, effect } = response.payload ?? {};
      const isText = (value«: unknown») => typeof value === "string";
      const isKnown =
        isText(code) &&
        isText(reason) &&
        ["request", "response", ...(code === "EAGENTRPC_SCHEMA_VIOLATION" ? [] : [undefined])].includes(schemaSide) &&
        Array.isArray(violations) &&
        violations.every((violation) => isText(violation?.path) && isText(violation.message));
      if (!isKnown) return failed("EAGENTRPC_INVALID_ENVELOPE", "the agent sent an error in an unknown form");
      // The agent may list more of them than a report has.
      const list = listOf(100, 65_536);
      for (const { path, message, keyword } of violations) addTo(list, () => path, message, keyword);
      const report = { schemaSide, violations: list.found.map(defined), truncated: list.truncated || truncated === true };
      const isViolation = code === "EAGENTRPC_SCHEMA_VIOLATION";
      const facts = { finding, skew, details, effect, violations: isViolation || violations.length === 0 ? undefined : report.violations };
      return failed(code, reason, isViolation ? report : {}, facts);
    };
    const found = invalid("request", request);
    if (found) return found;
    if (limit < 1) return failed("EAGENTRPC_TIMEOUT", "the deadline of the call that caused this one has passed");
    const signals = [signal, parent?.signal].filter(Boolean);
    if (signals.some(({ aborted }) => aborted)) return failed("EAGENTRPC_ABANDONED", "the caller abandoned the call");
    if (inFlight >= (settings.maxInFlight ?? 1024)) return failed("EAGENTRPC_BUSY", "too many calls are in flight");
    inFlight++;
    let timer«: any», abandon«: any»;
    const stopped = new Promise((resolve) => {
      const stop = (code«: string», message«: string») => () => {
        resolve(failed(code, message));
        controller.abort();
      };
      const late = stop("EAGENTRPC_TIMEOUT", "no response before the deadline");
      const abandoned = stop("EAGENTRPC_ABANDONED", "the caller abandoned the call");
      timer = setTimeout(late, limit);
      // The call that this one serves may end at the same deadline, which is rounded.
      abandon = () => (Date.now() + 2 < start + limit ? abandoned : late)();
      for (const each of signals) each.addEventListener("abort", abandon);
    });
    try {
      return await Promise.race([exchange(), stopped]);
    } catch (error«: any») {
      const code = `${error?.code}`;
      return failed(code.startsWith("EAGENTRPC_") ? code : "EAGENTRPC_NO_TRANSPORT", `${error?.message ?? error}`);
    } finally {
      clearTimeout(timer);
      for (const each of signals) each.removeEventListener("abort", abandon);
      inFlight--;
    }
  };
  const method = (kind«: string», capability«: any») => (request«: unknown», options«: any») => call(kind, capability, request, options);
  const entries = Object.entries(methods).map(([name, entry]«: any») => {
    // A method without a capability is another name of a method.
    const capability = entry[0] ? entry : methods[entry[1]];
    return [name, Object.assign(method("request", capability), { publish: method("event", capability) })];
  });
  return Object.fromEntries(entries);
}
