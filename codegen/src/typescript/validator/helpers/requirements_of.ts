/**
 * What all capabilities of an agent require together, so that only callers who may call all of them learn which ones there are; the
 * versions of each capability; and the number of those of the capability that has the most. It is made once for an agent, not for a request.
 */
function requirementsOf(methods«: any»)«: any» {
  const { known = new WeakMap() }«: any» = requirementsOf;
  Object.assign(requirementsOf, { known });
  if (known.has(methods)) return known.get(methods);
  const versions«: any» = new Map();
  for (const [label, describe] of Object.values«<any>»(methods)) {
    if (!label) continue;
    const [name] = label.split("@");
    versions.set(name, [...(versions.get(name) ?? []), { describe, described: describe() }]);
  }
  const all«: any[]» = Array.from(versions.values());
  const together = (name«: string») => Array.from(new Set(all.flat().flatMap(({ described }) => described[name] ?? [])));
  const requirements = {
    versions,
    most: Math.max(1, ...all.map(({ length }) => length)),
    all: { requiredRoles: together("requiredRoles"), requiredScopes: together("requiredScopes") },
  };
  known.set(methods, requirements);
  return requirements;
}
