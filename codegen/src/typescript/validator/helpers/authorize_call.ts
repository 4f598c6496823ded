/** Refuses a request whose caller may not call its capability, in the same steps if there is none. */
async function authorizeCall(call«: any»)«: globalThis.Promise<any>» {
  const { settings, proof, principal, requirements, stated } = call;
  const { authorize, grants, principals } = settings;
  if (!hasAuthorization(settings)) return;
  const context = contextOf(call);
  // If a request is for a principal, the rights of the agent do not count.
  const given = principal
    ? [principal, own(own(principals ?? {}, principal.issuer) ?? {}, principal.subject)]
    : [proof?.kind === "agent-key" ? own(grants ?? {}, context.caller) : undefined];
  // A text would contain the names of other roles.
  const listed = (name«: string») => given.flatMap((rights«: any») => (Array.isArray(rights?.[name]) ? rights[name] : []));
  const [roles, scopes] = [new Set(listed("roles")), new Set(listed("scopes"))];
  // It compares all names that the agent knows, so that the time does not show whether it has the capability.
  const lacking = (names«: any», owned«: any», required«: any»)«: number» => {
    let count = 0;
    for (let place = 0; place < names.length; place++) count += Number(!owned.has(names[place])) & required[place];
    return count;
  };
  const has = (version«: any») =>
    lacking(requirements.roles, roles, version.roles) + lacking(requirements.scopes, scopes, version.scopes) === 0;
  const isAllowed = async (version«: any»)«: globalThis.Promise<boolean>» => {
    try {
      if (!authorize) return has(version);
      return !call.signal.aborted && (await untilEnd(authorize(context, version.described), call.interrupted)) === true;
    } catch (error) {
      notify(call, error);
      return false;
    }
  };
  const { asked, count } = stated;
  const allowed«: boolean[]» = [];
  for (const version of asked) {
    if (allowed.length === count && allowed.includes(true)) break;
    allowed.push(await isAllowed(version));
  }
  if (!allowed.slice(0, count).includes(true)) return forbidden();
  const denied = asked.filter((_«: any», place«: number») => place < count && !allowed[place]);
  call.denied = new Set(denied.map(({ describe }«: any») => describe));
}
