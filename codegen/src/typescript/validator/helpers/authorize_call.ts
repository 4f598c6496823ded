/** Refuses a request whose caller may not call its capability, in the same steps if there is none. */
async function authorizeCall(call«: any»)«: globalThis.Promise<any>» {
  const { settings, parts, proof, principal, methods } = call;
  const { authorize, grants, principals } = settings;
  if (!hasAuthorization(settings)) return;
  const { versions: served, all, most } = requirementsOf(methods);
  const versions«: any[]» = served.get(parts.capability) ?? [];
  const context = contextOf(call);
  // If a request is for a principal, the rights of the agent do not count.
  const given = principal
    ? [principal, own(own(principals ?? {}, principal.issuer) ?? {}, principal.subject)]
    : [proof?.kind === "agent-key" ? own(grants ?? {}, context.caller) : undefined];
  // A text would contain the names of other roles.
  const listed = (name«: string») => given.flatMap((rights«: any») => (Array.isArray(rights?.[name]) ? rights[name] : []));
  const [roles, scopes] = [new Set(listed("roles")), new Set(listed("scopes"))];
  // It compares all names that the agent knows, so that the time does not show whether it has the capability.
  const lacking = (names«: any», owned«: any», needed«: any»)«: number» => {
    let count = 0;
    for (const name of names) count += Number(!owned.has(name)) & Number(needed.has(name));
    return count;
  };
  const has = ({ requiredRoles, requiredScopes }«: any») =>
    lacking(all.requiredRoles, roles, requiredRoles) + lacking(all.requiredScopes, scopes, requiredScopes) === 0;
  const isAllowed = async (version«: any»)«: globalThis.Promise<boolean>» => {
    try {
      if (!authorize) return has(version ?? all);
      return !call.signal.aborted && (await untilEnd(authorize(context, version?.described), call.interrupted)) === true;
    } catch (error) {
      notify(call, error);
      return false;
    }
  };
  call.denied = new Set();
  for (const version of versions) if (!(await isAllowed(version))) call.denied.add(version.describe);
  const isUnknown = versions.length === 0;
  if (isUnknown ? await isAllowed(undefined) : call.denied.size < versions.length) return;
  // As often as for the capability with the most versions, so that neither the time nor the records of a rule show how many there are.
  for (let asked = isUnknown ? 1 : versions.length; asked < most; asked++) await isAllowed(versions.at(-1));
  return forbidden();
}
