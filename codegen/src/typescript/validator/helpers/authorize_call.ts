/** Refuses a request whose caller may not call its capability, in the same steps if there is none. */
async function authorizeCall(call«: any»)«: globalThis.Promise<any>» {
  const { settings, parts, proof, principal, methods } = call;
  const { authorize, grants, principals, tokens, withoutAuthorization } = settings;
  if (!authorize && (withoutAuthorization === true || !(grants || principals || tokens))) return;
  const versions = versionsOf(methods, parts.capability);
  const context = contextOf(call);
  // If a request is for a principal, the rights of the agent do not count.
  const given = principal
    ? [principal, own(own(principals ?? {}, principal.issuer) ?? {}, principal.subject)]
    : [proof?.kind === "agent-key" ? own(grants ?? {}, context.caller) : undefined];
  // A text would contain the names of other roles.
  const listed = (name«: string») => given.flatMap((rights«: any») => (Array.isArray(rights?.[name]) ? rights[name] : []));
  const [roles, scopes] = [listed("roles"), listed("scopes")];
  const has = ({ requiredRoles = [], requiredScopes = [] }«: any») =>
    requiredRoles.every((role«: string») => roles.includes(role)) && requiredScopes.every((scope«: string») => scopes.includes(scope));
  /** What all capabilities together require, so that only callers who may call all of them learn which ones there are. */
  const all = () => {
    const described«: any» = Object.values«<any>»(methods).flatMap(([label, describe]) => (label ? [describe()] : []));
    const together = (name«: string») => described.flatMap((each«: any») => each[name] ?? []);
    return { requiredRoles: together("requiredRoles"), requiredScopes: together("requiredScopes") };
  };
  const isAllowed = async (capability«: any»)«: globalThis.Promise<boolean>» => {
    try {
      return authorize ? (await authorize(context, capability)) === true : has(capability ?? all());
    } catch (error) {
      notify(call, error);
      return false;
    }
  };
  call.denied = new Set();
  for (const describe of versions) if (!(await isAllowed(describe()))) call.denied.add(describe);
  if (versions.length === 0 ? !(await isAllowed(undefined)) : call.denied.size === versions.length) return forbidden();
}
