/**
 * The methods of an agent by their names, with the version label if there is one; the versions of each capability, with the roles and
 * scopes that they require; what all of them require together, so that only callers who may call all of them learn which ones there
 * are; and the number of those of the capability that has the most. It is made once for an agent, so that the time of a request does
 * not show whether it has the capability, or where it is declared.
 */
function requirementsOf(methods«: any»)«: any» {
  const { known = new WeakMap() }«: any» = requirementsOf;
  Object.assign(requirementsOf, { known });
  if (known.has(methods)) return known.get(methods);
  const [labels, versions]«: any[]» = [new Map(), new Map()];
  for (const [method, [label, describe]] of Object.entries«<any>»(methods)) {
    if (!label) continue;
    if (!labels.has(label)) labels.set(label, method);
    const described = describe();
    const { requiredRoles = [], requiredScopes = [] } = described;
    const version = { describe, described, requiredRoles: new Set(requiredRoles), requiredScopes: new Set(requiredScopes) };
    const [name] = label.split("@");
    if (versions.has(name)) versions.get(name).push(version);
    else versions.set(name, [version]);
  }
  const each«: any[]» = Array.from(versions.values());
  const together = (name«: string») => new Set(each.flat().flatMap((version) => [...version[name]]));
  const requirements = {
    labels,
    versions,
    most: Math.max(1, ...each.map(({ length }) => length)),
    all: { requiredRoles: together("requiredRoles"), requiredScopes: together("requiredScopes") },
  };
  known.set(methods, requirements);
  return requirements;
}
