/** Checks a request before its payload is read: the answer that refuses it; `undefined` if it may run. */
async function admitCall(call«: any»)«: globalThis.Promise<any>» {
  const { setTimeout }«: any» = globalThis;
  const { agent, parts, text, capability, settings, server } = call;
  const { headers = {}, tenantId } = parts;
  const invalid = (message«: string») => refusedWith("EAGENTRPC_INVALID_ENVELOPE", message);
  if (!call.envelope) return invalid("the message is not a valid envelope");
  const full = server?.refusal();
  if (full) return full;
  if (parts.to !== `agent://${agent}`) return invalid("the request is for another agent");
  const invalidity = invalidHeader(headers);
  if (invalidity) return invalid(invalidity);
  const { now, rest, refusal, tooLate } = timeOf(parts, settings);
  if (refusal) return refusal;
  const timedOut = () => failedWith("EAGENTRPC_TIMEOUT", "the deadline passed before the handler ended");
  call.timer = setTimeout(() => call.interrupt(call.hasStarted ? timedOut() : tooLate()), rest);
  Object.assign(call, { now, rest, tooLate });
  if (settings.tenants && !settings.tenants.includes(tenantId))
    return refusedWith("EAGENTRPC_TENANT_MISMATCH", "the agent does not serve the tenant of the request");
  // An answer before the end of the verification is not signed.
  call.isProved = !settings.verify;
  try {
    call.proof = settings.verify && (await untilEnd(isAuthentic(text, parts, settings.verify), call.interrupted));
  } catch (error) {
    notify(call, error);
    return refusedWith("EAGENTRPC_BUSY", "the provider cannot verify signatures at the moment");
  }
  if (settings.verify && !call.proof)
    return refusedWith("EAGENTRPC_AUTH_FAILED", "the signature of the request is missing or invalid");
  const withoutPrincipal = await identifyPrincipal(call);
  if (withoutPrincipal) {
    call.isProved = true;
    return withoutPrincipal;
  }
  // Only now, so that a request whose token cannot be verified at the moment may be sent again.
  const refused = server && (await server.admit(call));
  if (refused) return refused;
  call.isProved = true;
  const denied = await authorizeCall(call);
  if (denied) return denied;
  if (!capability) return refusedWith("EAGENTRPC_NO_CAPABILITY", `the agent \`${agent}\` has no capability \`${parts.capability}\``);
}
