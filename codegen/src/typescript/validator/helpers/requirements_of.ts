/**
 * The names that requests of an agent may state: each with its capability, and with its method and the function that describes it if it
 * has one version. `asked` are the versions of a name that a server decides about, each with the places of the roles and scopes that it
 * requires, of which `count` exist: for every name as many, so that neither the time nor the records of a rule show how many there are.
 * `unknown` is the same for a name that does not exist; it requires what all capabilities require together, so that only callers who may
 * call all of them learn which ones there are. It is made once for an agent, so that the time of a request does not show whether it has
 * the capability, or where it is declared.
 */
function requirementsOf(methods«: any», capabilities«: any»)«: any» {
  const { known = new WeakMap() }«: any» = requirementsOf;
  Object.assign(requirementsOf, { known });
  if (known.has(methods)) return known.get(methods);
  const described«: any[]» = [];
  for (const [method, [label, describe]] of Object.entries«<any>»(methods)) if (label) described.push({ method, label, describe, described: describe() });
  const together = (list«: string») => [...new Set(described.flatMap((each) => each.described[list] ?? []))];
  const roles = together("requiredRoles");
  const scopes = together("requiredScopes");
  // All have the same members in the same order, so that reading them takes the same steps.
  const versionOf = (version«: any», describe«: any», requires«: any») => ({
    describe,
    described: version,
    roles: roles.map((name) => Number(requires("requiredRoles", name))),
    scopes: scopes.map((name) => Number(requires("requiredScopes", name))),
  });
  const versions«: any» = new Map(Object.keys(capabilities).map((name) => [name, []]));
  const singles = new Map(described.map((each) => [each.label, each]));
  for (const { label, describe, described: version } of described)
    versions.get(label.split("@")[0])?.push(versionOf(version, describe, (list«: string», name«: string») => version[list]?.includes(name) === true));
  const most = Math.max(1, ...Array.from(versions.values(), ({ length }«: any») => length));
  const entryOf = (capability«: any», single«: any», asked«: any[]») => ({
    capability,
    method: single?.method,
    describe: single?.describe,
    count: asked.length,
    asked: Array.from({ length: most }, (_, place) => asked[Math.min(place, asked.length - 1)]),
  });
  const unknown = entryOf(undefined, undefined, [versionOf(undefined, undefined, () => true)]);
  const names = new Map();
  for (const [name, capability] of Object.entries(capabilities)) {
    const asked = versions.get(name);
    if (asked.length > 0) names.set(name, entryOf(capability, singles.get(name), asked));
  }
  const requirements = { names, unknown, roles, scopes };
  known.set(methods, requirements);
  return requirements;
}
