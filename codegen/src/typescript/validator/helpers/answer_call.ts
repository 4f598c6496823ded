/** The answer to a request that was admitted: that of a version of its capability, or the refusal by all of them. */
async function answerCall(call«: any»)«: globalThis.Promise<any>» {
  const version = call.parts.headers?.["capgen-version"];
  const refusedBy = (describe«: any») => (version !== undefined && call.refusalOf?.(describe(), version)) || undefined;
  const { found, refusal: unknown } = call.candidates(version);
  const allowed = found?.filter(({ describe }«: any») => !call.denied?.has(describe));
  if (allowed?.length === 0) return forbidden();
  call.found = allowed?.filter(({ describe }«: any») => !refusedBy(describe));
  const [code, message] = unknown ?? (call.found.length ? [] : refusedBy(allowed[0].describe));
  if (code) return refusedWith(code, message, code === "EVERSION_SKEW" ? { skew: skewOf(call, "version") } : {});
  return call.server ? call.server.once(call) : runCall(call);
}
