/**
 * A schema of draft-07 with the keywords of draft 2020-12 for positions of arrays. Values such as those of `const` are not schemas, and the
 * members of `properties` may have any names.
 */
function positionsOf(schema«: any», isMap«?: boolean»)«: any» {
  if (Array.isArray(schema)) return schema.map((each) => positionsOf(each));
  if (typeof schema !== "object" || schema === null) return schema;
  const names«: any» = !isMap && Array.isArray(schema.items) ? { items: "prefixItems", additionalItems: "items" } : {};
  const members = Object.entries«<any>»(schema).map(([name, value]) => {
    if (isMap) return [name, positionsOf(value)];
    if (/^(const|enum|default|examples)$/.test(name)) return [name, value];
    return [Object.prototype.hasOwnProperty.call(names, name) ? names[name] : name, positionsOf(value, /^(properties|patternProperties|definitions|\$defs)$/.test(name))];
  });
  return Object.fromEntries(members);
}
