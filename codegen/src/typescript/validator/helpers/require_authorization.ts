/** Throws if some capabilities require roles or scopes, and the options of a server do not say who has them. */
function requireAuthorization(described«: any[]», { authorize, grants, principals, tokens, verify, withoutAuthorization }«: any»)«: void» {
  if (tokens && !verify) throw new TypeError("`tokens` needs `verify`: a token proves nothing in a message that is not signed");
  const grantees = [grants ?? {}, ...Object.values«<any>»(principals ?? {})].flatMap(Object.keys);
  // Lists without an entry give no one a role.
  if (withoutAuthorization === true || hasAuthorization({ authorize, tokens, grants: grantees.length > 0 })) return;
  const requires = ({ requiredRoles = [], requiredScopes = [] }«: any») => requiredRoles.length + requiredScopes.length > 0;
  const names = new Set(described.filter(requires).map(({ name }) => `\`${name}\``));
  if (names.size === 0) return;
  const ways = "decide with `authorize`, give `grants`, verify tokens with `tokens`, or let everyone call with `withoutAuthorization: true`";
  throw new Error(`${[...names].join(", ")} declare \`requiredRoles\` or \`requiredScopes\`, and the server does not know who has them: ${ways}`);
}
