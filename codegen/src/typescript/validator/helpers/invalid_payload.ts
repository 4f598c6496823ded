/** The result of a call whose request or response is invalid; `undefined` if it is valid. `headers` are those of the response. */
function invalidPayload(call«: any», side«: string», value«: unknown», headers«?: any»)«: any» {
  const { capability, client } = call;
  const { ok = true, violations, truncated }«: any» = capability[side]?.parse(value, { redact: client.settings.redact }) ?? {};
  if (ok) return;
  const { "capgen-contract": contract, "capgen-version": version }«: any» = headers ?? {};
  const differs = ![undefined, capability.hash].includes(contract);
  const versions = differs && version && capability.version && `the provider has version ${version}, your contract is ${capability.version}: `;
  const skew = differs
    ? defined({ callerVersion: capability.version, callerContract: capability.hash, providerVersion: version, providerContract: contract, reason: "response" })
    : undefined;
  const effect = side === "request" ? "none" : undefined;
  const more = { schemaSide: side, violations, truncated, ...(side === "response" ? { response: value } : {}) };
  return call.failed("EAGENTRPC_SCHEMA_VIOLATION", `${versions || ""}the ${side} violates its schema`, { effect, skew }, more);
}
