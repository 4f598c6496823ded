/** Finds the principal of the token of a request, whose sender is proved: the answer if the token is not for the request. */
async function identifyPrincipal(call«: any»)«: globalThis.Promise<any>» {
  const { settings, parts } = call;
  const { authorization } = parts.headers ?? {};
  if (!settings.tokens || authorization === undefined) return;
  const [, token] = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
  try {
    // As long as in Rust: the keys of an issuer may have to be fetched.
    call.principal = token && ((await untilEnd(settings.tokens(token), call.interrupted, 10_000)) || undefined);
  } catch (error) {
    notify(call, error);
    return refusedWith("EAGENTRPC_BUSY", "the provider cannot verify tokens at the moment");
  }
  if (!call.principal) return refusedWith("EAGENTRPC_AUTH_FAILED", "the token of the request is invalid");
  if (![undefined, parts.tenantId].includes(call.principal.tenant))
    return refusedWith("EAGENTRPC_TENANT_MISMATCH", "the token of the request is for another tenant");
}
