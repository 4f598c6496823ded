/**
 * The members of a form as the object that a JSON Schema describes. Texts become numbers, booleans, `null` and lists where the schema
 * allows no text, if that loses nothing; everything else stays as it is, so that a validator reports it.
 */
function coerced(schema«: any», input«: any»)«: any» {
  const root = schema["~standard"].jsonSchema.input({ target: "draft-07" });
  /** The schemas that apply to a value next to one of them, by references and branches. */
  const all = (schemas«: any[]») => {
    const isObject = (schema«: any») => typeof schema === "object";
    const found = new Set«<any>»(schemas.filter(isObject));
    for (const { $ref, allOf = [], anyOf = [], oneOf = [], then, else: otherwise } of found) {
      const name = $ref && decodeURIComponent($ref.slice(14)).replace(/~1/g, "/").replace(/~0/g, "~");
      const next = [...allOf, ...anyOf, ...oneOf, then, otherwise, $ref && root.definitions[name]];
      next.filter(isObject).forEach((schema) => found.add(schema));
    }
    return [...found];
  };
  const typeOf = (value«: any») => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);
  const convert = (text«: any», schemas«: any[]», otherwise«?: any»)«: any» => {
    if (typeof text !== "string") return text;
    const listed = schemas.flatMap((schema) => schema.enum ?? ("const" in schema ? [schema.const] : []));
    if (listed.includes(text)) return text;
    const literal = listed.find((value) => typeof value !== "object" ? `${value}` === text : value === null && text === "null");
    if (literal !== undefined) return literal;
    const types = new Set(schemas.flatMap(({ type }) => type ?? []).concat(listed.map(typeOf)));
    if (!types.size || types.has("string")) return text;
    if ((types.has("number") || types.has("integer")) && /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text)) {
      const number = Number(text);
      return Number.isFinite(number) && (/[.eE]/.test(text) || BigInt(text) === BigInt(number)) ? number : text;
    }
    if (types.has("boolean") && /^(true|false)$/.test(text)) return text === "true";
    if (types.has("null") && /^(null)?$/.test(text)) return null;
    return text || otherwise;
  };
  const has = (members«: any», name«: string»)«: boolean» => Object.prototype.hasOwnProperty.call(members, name);
  const texts = new Map«<string, any[]>»();
  const lists = new Set();
  for (const [name, value] of typeof input[Symbol.iterator] === "function" ? input : Object.entries(input)) {
    const values = texts.get(name) ?? [];
    texts.set(name, values);
    if (Array.isArray(value)) lists.add(name);
    for (const one of [value === undefined ? [] : value].flat()) values.push(one);
  }
  const objects = all([root]);
  const members = [...texts].map(([name, values]) => {
    const own = objects.flatMap(({ properties = {}, patternProperties = {}, additionalProperties = {} }) => {
      const matching = Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, "u").test(name));
      const found = matching.map((pattern) => patternProperties[pattern]).concat(has(properties, name) ? properties[name] : []);
      return found.length ? found : additionalProperties;
    });
    const schemas = all(own);
    const isList = schemas.some(({ type, items }) => [type].flat().includes("array") || items);
    const itemAt = (index«: number») =>
      all(schemas.flatMap(({ items = [], additionalItems = [] }) => (Array.isArray(items) ? (items[index] ?? additionalItems) : items)));
    const mayBeText = !lists.has(name) && schemas.some(({ type }) => [type].flat().includes("string"));
    const isOne = values.length < 2 && (!isList || mayBeText);
    const value = isOne ? convert(values[0], schemas) : values.map((value, index) => convert(value, isList ? itemAt(index) : schemas, value));
    return [name, value];
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
