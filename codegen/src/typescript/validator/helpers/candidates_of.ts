/**
 * The versions of a capability that may run a request, the highest first: the one with the caller's contract, else those of the caller's
 * compatibility line, else all. `undefined` if the capability has one version.
 */
function candidatesOf(call«: any», capabilities«: any», methods«: any», version«?: string»)«: any» {
  const { parts, method, refusalOf } = call;
  if (method) return;
  const keys = Object.keys(methods).filter((key) => methods[key][0]?.startsWith(`${parts.capability}@`));
  const versions = keys.map((method) => {
    const [label, describe] = methods[method];
    return { capability: capabilities[label], method, describe };
  });
  call.versions = versions.map(({ capability }) => capability.version);
  const equal = versions.filter(({ capability }) => capability.hash === parts.headers?.["capgen-contract"]);
  if (equal.length) return { found: equal };
  // No valid version is lower, so only an invalid one is refused.
  const refusal = version !== undefined && refusalOf({ minSchemaVersion: "0.0.0-0" }, version);
  if (refusal) return { refusal };
  const lineOf = (text«: any») => /^(?:0\.)?\d+/.exec(text)?.[0];
  const inLine = versions.filter(({ capability }) => version !== undefined && lineOf(capability.version) === lineOf(version));
  return { found: inLine.length ? inLine : versions };
}
