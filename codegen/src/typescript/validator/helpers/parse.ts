/**
 * The value, or every violation, sorted by path, then by keyword. A rule is `true`, `false`, the name of a type, a `ref` to
 * a definition, or keywords: `properties` are required, `optional` ones are not, `undeclared` names are required and in
 * neither of them, `rest` is the rule for all other names, and `text` shows what JavaScript would print differently.
 */
function parse(isValid«: boolean», value«: any», { redact, limit }«: Options» = {}, schema«: () => any»)«: any» {
  if (isValid) return { ok: true, value };
  const [root, definitions] = schema();
  /** At most 64 code points. */
  const cut = (text«: string», write«: any» = String)«: string» => {
    const shown = [...text.slice(0, 128)].slice(0, 64).join("");
    return write(shown) + (shown === text ? "" : "...");
  };
  const quote = (text«: string») => cut(text, JSON.stringify);
  // <enum|const|minimum|maximum|exclusiveMinimum|exclusiveMaximum|minLength|maxLength|pattern|format|anyOf|oneOf>
  const literal = (json«: any») =>
    typeof json === "string" ? quote(json) : cut(typeof json === "object" ? JSON.stringify(json) : String(json));
  // </>
  // <minimum|maximum|exclusiveMinimum|exclusiveMaximum|minLength|maxLength|pattern|format>
  const got = (value«: any») => (redact ? "" : `, got ${literal(value)}`);
  // </>
  // <minimum|maximum|exclusiveMinimum|exclusiveMaximum>
  const bound = (relation«: string», holds«: (value: any, limit: any) => boolean») => (limit«: any», value«: any», text«: any») =>
    typeof value === "number" && !holds(value, limit) && `must be ${relation} ${text ?? literal(limit)}${got(value)}`;
  // </>
  // <minLength|maxLength|minItems|maxItems>
  const count = (limit«: any», text«: any», noun«: string») => `${text ?? limit} ${noun}${limit === 1 ? "" : "s"}`;
  // </>
  const follow = (rule«: any»)«: any» =>
    rule.ref !== undefined
      ? follow(definitions[rule.ref])
      : typeof rule === "string"
        ? { type: [rule] }
        : rule === true
          ? {}
          : rule || { false: 1 };
  const member = (members«: any» = {}, name«: any») => (Object.hasOwn(members, name) ? members[name] : undefined);
  const typeOf = (value«: any»)«: string» =>
    value === null
      ? "null"
      : Array.isArray(value)
        ? "array"
        : isDict(value)
          ? "object"
          : typeof value === "object"
            ? `an instance of ${value.constructor?.name}`
            : typeof value !== "number"
              ? typeof value
              : Number.isInteger(value)
                ? "integer"
                : Number.isFinite(value)
                  ? "number"
                  : String(value);
  const mismatch = (types«: any» = [], value«: any»)«: any» => {
    const type = typeOf(value);
    return (
      types[0] &&
      !types.includes(type) &&
      !(type === "integer" && types.includes("number")) &&
      `expected ${types.join(", ").replace(/, (?=\w+$)/, " or ")}, got ${type}`
    );
  };
  // <enum|const|anyOf|oneOf>
  const equals = (value«: any», literals«: any»)«: boolean» =>
    literals.includes(value)
    // <structured>
    || among(value, literals)
    // </>
    ;
  // </>
  // <anyOf|oneOf|not>
  let explains = true;
  /** The violations of a value by one rule. Unions in it are not explained. */
  const find = (rule«: any», value«: any»)«: any[]» => {
    const found«: any[]» = [];
    // <shared>
    const known = (follow(rule).known ??= new Map());
    if (known.has(value)) return known.get(value);
    known.set(value, found);
    // </>
    const before = explains;
    explains = false;
    visit([rule], value, "", found);
    explains = before;
    return found;
  };
  // </>
  // <anyOf|oneOf>
  const matching = (branches«: any», value«: any»)«: number[]» =>
    branches.flatMap((branch«: any», index«: number») => (find(branch, value)[0] ? [] : index));
  /** The properties with one allowed value, which tell branches apart. */
  const tags = (branch«: any»)«: any[]» =>
    [follow(branch), ...(follow(branch).allOf ?? []).map(follow)].flatMap(({ properties, optional }) =>
      Object.entries({ ...properties, ...optional }).flatMap(([name, rule]) => {
        const { enum: values = [], const: only = values[1] === undefined ? values[0] : undefined, text = {} } = follow(rule);
        return only === undefined ? [] : [[name, only, text.const]];
      }),
    );
  const unmatched = (keyword«: string», branches«: any», value«: any»)«: string» => {
    const plain = `matches no branch of ${keyword}`;
    if (!explains) return plain;
    const types = branches.map((branch«: any») => follow(branch).type ?? []);
    const all = types.flat();
    const message =
      types.every(([type]«: any») => type) &&
      mismatch(
        ["null", "boolean", "integer", "number", "string", "array", "object"].filter(
          (type) => all.includes(type) && !(type === "integer" && all.includes("number")),
        ),
        value,
      );
    if (message) return `${plain}: ${message}`;
    const candidates = branches.map((branch«: any», index«: number») => {
      const findings = find(branch, value);
      const same = tags(branch).flatMap(([name, only]) =>
        typeOf(value) === "object" && member(value, name) !== undefined ? equals(value[name], [only]) : [],
      );
      const isMistyped = findings.some(({ path, keyword }) => path + keyword === "type");
      const distance = (isMistyped ? 4e9 : 0) + (same.includes(false) ? 2e9 : same[0] ? 0 : 1e9) + findings.length;
      return { branch, index, findings, distance };
    });
    if (!candidates[0]) return plain;
    const { branch, index, findings } = candidates.reduce((a«: any», b«: any») => (b.distance < a.distance ? b : a));
    const [tag] = tags(branch).sort(([a], [b]) => (a < b ? -1 : 1));
    const label = branch.ref !== undefined ? quote(branch.ref) : tag && `${quote(tag[0])} ${tag[2] ?? literal(tag[1])}`;
    const [{ path, keyword: first, message: lack }] = findings;
    const place = redact ? "" : first === "required" || first === "additionalProperties" ? path.replace(/\/[^/]*$/, "") : path;
    return `${plain}; closest is branch ${index}${label ? ` (${label})` : ""}: ${lack}${place && ` at ${cut(place)}`}${findings[1] ? ` (and ${findings.length - 1} more)` : ""}`;
  };
  // </>
  /** What a value does not fulfill, by keyword, in the order in which violations of one place are listed. */
  const checks«: Record<string, (limit: any, value: any, text: any) => any>» = {
    type: (types, value) => mismatch(types, value),
    // <false>
    false: () => "no value is allowed here",
    // </>
    // <enum>
    enum: (values, value, text) =>
      !equals(value, values) &&
      `value not in enum ${text ?? `[${values.slice(0, 16).map(literal)}${values.length > 16 ? ",..." : ""}]`}`,
    // </>
    // <const>
    const: (only, value, text) => !equals(value, [only]) && `value is not ${text ?? literal(only)}`,
    // </>
    // <minimum>
    minimum: bound("at least", (value, limit) => value >= limit),
    // </>
    // <maximum>
    maximum: bound("at most", (value, limit) => value <= limit),
    // </>
    // <exclusiveMinimum>
    exclusiveMinimum: bound("greater than", (value, limit) => value > limit),
    // </>
    // <exclusiveMaximum>
    exclusiveMaximum: bound("less than", (value, limit) => value < limit),
    // </>
    // <minLength>
    minLength: (limit, value, text) =>
      typeof value === "string" &&
      codePoints(value) < limit &&
      `must have at least ${count(limit, text, "character")}${got(value)}`,
    // </>
    // <maxLength>
    maxLength: (limit, value, text) =>
      typeof value === "string" &&
      codePoints(value) > limit &&
      `must have at most ${count(limit, text, "character")}${got(value)}`,
    // </>
    // <pattern>
    pattern: (pattern, value, text) =>
      typeof value === "string" &&
      !pattern.test(value) &&
      `must match the pattern ${text ?? quote(pattern.source)}${got(value)}`,
    // </>
    // <format>
    format: ([name, accepts], value) =>
      typeof value === "string" && !accepts(value) && `must be a valid ${name}${got(value)}`,
    // </>
    // <minItems>
    minItems: (limit, value, text) =>
      Array.isArray(value) &&
      value.length < limit &&
      `must have at least ${count(limit, text, "item")}, got ${value.length}`,
    // </>
    // <maxItems>
    maxItems: (limit, value, text) =>
      Array.isArray(value) &&
      value.length > limit &&
      `must have at most ${count(limit, text, "item")}, got ${value.length}`,
    // </>
    // <uniqueItems>
    uniqueItems: (_, value) => {
      const pair = Array.isArray(value) && repeated(value);
      return pair && `items ${pair.join(" and ")} are equal`;
    },
    // </>
    required: (name) => `missing required property ${quote(name)}`,
    additionalProperties: (name) => `unexpected property${redact ? "" : ` ${quote(name)}`}`,
    // <anyOf>
    anyOf: (branches, value) => !matching(branches, value).length && unmatched("anyOf", branches, value),
    // </>
    // <oneOf>
    oneOf: (branches, value) => {
      const indexes = matching(branches, value);
      if (!indexes.length) return unmatched("oneOf", branches, value);
      const shown = indexes.slice(0, 8).join(", ");
      return indexes.length > 1 && `matches more than one branch of oneOf: ${shown}${indexes[8] ? ", ..." : ""}`;
    },
    // </>
    // <not>
    not: (rule, value) => !find(rule, value)[0] && "matches the schema in not",
    // </>
  };
  /** Lists nothing more about a value of the wrong type, or what is in it. */
  const visit = (given«: any[]», value«: any», path«: string», found«: any[]»)«: void» => {
    const rules = new Set(given.map(follow));
    // A set visits the rules that are added on the way.
    for (const { type, allOf = [] } of rules) {
      if (!mismatch(type, value)) for (const part of allOf) rules.add(follow(part));
    }
    for (const keyword in checks) {
      const messages = new Set«<string>»();
      for (const rule of rules) {
        const message = rule[keyword] !== undefined && checks[keyword]«!»(rule[keyword], value, rule.text?.[keyword]);
        if (message) messages.add(message);
      }
      for (const message of [...messages].sort()) found.push({ path, message, keyword });
      if (keyword === "type" && messages.size) return;
    }
    const isObject = isDict(value);
    if (!isObject && !Array.isArray(value)) return;
    const names = [...rules].flatMap(({ properties = {}, undeclared = [] }) => [...Object.keys(properties), ...undeclared]);
    for (const name of isObject ? [...new Set(names.concat(Object.keys(value)))].sort() : value.keys()) {
      const item = member(value, name);
      const below = [...rules].map(({ properties, optional, undeclared = [], rest = true, items = true }) => {
        if (!isObject) return items;
        const required = member(properties, name);
        if (item !== undefined) return required ?? member(optional, name) ?? (rest || { additionalProperties: name });
        return required === undefined && !undeclared.includes(name) ? true : { required: name };
      });
      visit(below, item, `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`, found);
    }
  };
  const found«: any[]» = [];
  if (shallow(value, 128)) visit([root], value, "", found);
  else found.push({ path: "", message: "nested deeper than 128 levels", keyword: "depth" });
  return { ok: false, violations: found.slice(0, limit) };
}
