/**
 * The value, or every violation, sorted by path, then by keyword. A rule is `false`, the name of a type, a `ref` to a
 * definition, or keywords: `properties` are required, `optional` ones are not, `rest` is the rule for all others, and `text`
 * is shown in messages where JavaScript would print a keyword's value differently.
 */
function parse(isValid«: boolean», value«: any», { redact, limit }«: Options» = {}, schema«: () => any»)«: any» {
  if (isValid) return { ok: true, value };
  const [root, definitions, among] = schema();
  const violations«: any[]» = [];
  /** At most 64 code points. */
  const cut = (text«: string», write«: any» = String)«: string» => {
    const shown = [...text.slice(0, 128)].slice(0, 64).join("");
    return write(shown) + (shown === text ? "" : "...");
  };
  const literal = (json«: any») =>
    typeof json === "string" ? cut(json, JSON.stringify) : cut(JSON.stringify(json));
  const equals = (value«: any», literals«: any») => literals.includes(value) || !!among?.(value, literals);
  const follow = (rule«: any»)«: any» =>
    typeof rule === "string"
      ? { type: rule }
      : rule.ref != null
        ? follow(definitions[rule.ref])
        : rule || { false: 1 };
  const member = (members«: any» = {}, name«: any») => (Object.hasOwn(members, name) ? members[name] : undefined);
  const find = (rule«: any», value«: any»)«: any[]» => {
    const found«: any[]» = [];
    const known = (follow(rule).known ??= new Map());
    const before = known.get(value);
    if (before) return before;
    known.set(value, found);
    visit([rule], value, "", found);
    return found;
  };
  /** The properties with one allowed value, which distinguish branches. */
  const tags = (branch«: any»)«: any[]» =>
    [branch, ...(follow(branch).allOf ?? [])].map(follow).flatMap(({ properties, optional }) =>
      Object.entries({ ...properties, ...optional }).flatMap(([name, rule]) => {
        const { enum: values = [], const: only = values[1] === undefined ? values[0] : undefined, text } = follow(rule);
        return only === undefined ? [] : [[name, only, `${literal(name)} ${text?.const ?? literal(only)}`]];
      }),
    );
  /** Lists no other violations of a value of the wrong type or of its parts. */
  const visit = (given«: any[]», value«: any», path«: string», found«: any[]»)«: void» => {
    const rules = new Set(given.map(follow));
    const isArray = Array.isArray(value);
    const isObject = !isArray && isDict(value);
    const type = isArray
      ? "array"
      : isObject
        ? "object"
        : value === null
          ? "null"
          : Number.isInteger(value)
            ? "integer"
            : typeof value === "object"
              ? value.constructor?.name
              : typeof value !== "number" || Number.isFinite(value)
                ? typeof value
                : `${value}`;
    const mismatch = (types«: any») =>
      !types.includes(type) &&
      !(type === "integer" && types.includes("number")) &&
      `expected ${[types].flat().join(", ").replace(/, (?=\w+$)/, " or ")}, got ${type}`;
    const size = isArray ? value.length : typeof value === "string" && [...value].length;
    const must = (holds«: boolean», text«: string») =>
      !holds && `must ${text}${redact && !isArray ? "" : `, got ${isArray ? size : literal(value)}`}`;
    const have = (holds«: boolean», limit«: any», text«: string») =>
      must(holds, `have at ${text} ${isArray ? "item" : "character"}${limit === 1 ? "" : "s"}`);
    const union = (keyword«: string», branches«: any[]»)«: any» => {
      const matching = branches.flatMap((branch, index) => (find(branch, value)[0] ? [] : index));
      const plain = `matches no branch of ${keyword}`;
      if (matching.length)
        return (
          matching[1] && keyword === "oneOf" && `matches more than one branch of oneOf: ${matching.slice(0, 2).join(" and ")}`
        );
      // Only the violations that are returned explain unions, not those of the branches of one.
      if (found !== violations) return plain;
      const types = branches.map((branch) => follow(branch).type);
      const message = types.every(Boolean) && mismatch([...new Set(types.flat())]);
      if (message) return `${plain}: ${message}`;
      const distances = branches.map((branch) => {
        const findings = find(branch, value);
        const same = tags(branch).flatMap(([name, only]) =>
          isObject && member(value, name) !== undefined ? equals(value[name], [only]) : [],
        );
        const [{ path, keyword }] = findings;
        return (path + keyword === "type" ? 3e9 : same.includes(false) ? 2e9 : same[0] ? 0 : 1e9) + findings.length;
      });
      const index = distances.indexOf(Math.min(...distances));
      const branch = branches[index];
      const [first, ...more] = find(branch, value);
      const label = branch.ref != null ? literal(branch.ref) : tags(branch).map((tag) => tag[2]).sort()[0];
      return `${plain}; closest is branch ${index}${label ? ` (${label})` : ""}: ${first.message}${redact || !first.path ? "" : ` at ${cut(first.path)}`}${more[0] ? ` (and ${more.length} more)` : ""}`;
    };
    /** The violated keywords of the value, in the order in which the violations of one value are listed. */
    const checks«: any» = {
      type: mismatch,
      false: () => "no value is allowed here",
      enum: (values«: any», text = `[${values.slice(0, 16).map(literal)}${values[16] === undefined ? "" : ",..."}]`) =>
        !equals(value, values) && `value not in enum ${text}`,
      const: (only«: any», text = literal(only)) => !equals(value, [only]) && `value is not ${text}`,
      ...(typeof value === "number" && {
        minimum: (limit«: any», text = limit) => must(value >= limit, `be at least ${text}`),
        maximum: (limit«: any», text = limit) => must(value <= limit, `be at most ${text}`),
        exclusiveMinimum: (limit«: any», text = limit) => must(value > limit, `be greater than ${text}`),
        exclusiveMaximum: (limit«: any», text = limit) => must(value < limit, `be less than ${text}`),
      }),
      ...(typeof value === "string" && {
        minLength: (limit«: any», text = limit) => have(size >= limit, limit, `least ${text}`),
        maxLength: (limit«: any», text = limit) => have(size <= limit, limit, `most ${text}`),
        pattern: (pattern«: any», text = literal(pattern.source)) => must(pattern.test(value), `match the pattern ${text}`),
        format: ([name, accepts]«: any») => must(accepts(value), `be a valid ${name}`),
      }),
      ...(isArray && {
        minItems: (limit«: any», text = limit) => have(size >= limit, limit, `least ${text}`),
        maxItems: (limit«: any», text = limit) => have(size <= limit, limit, `most ${text}`),
        uniqueItems: (repeated«: any», pair = repeated(value)) => pair && `items ${pair.join(" and ")} are equal`,
      }),
      required: (name«: any») => `missing required property ${literal(name)}`,
      additionalProperties: (name«: any») => `unexpected property${redact ? "" : ` ${literal(name)}`}`,
      anyOf: (branches«: any») => union("anyOf", branches),
      oneOf: (branches«: any») => union("oneOf", branches),
      not: (rule«: any») => !find(rule, value)[0] && "matches the schema in not",
    };
    // A set visits the rules that are added on the way.
    for (const { type: types = type, allOf = [] } of rules) {
      if (!mismatch(types)) for (const part of allOf) rules.add(follow(part));
    }
    for (const keyword in checks) {
      const messages = new Set«<string>»();
      for (const rule of rules) {
        const message = rule[keyword] !== undefined && checks[keyword](rule[keyword], rule.text?.[keyword]);
        if (message) messages.add(message);
      }
      for (const message of [...messages].sort()) found.push({ path, message, keyword });
      if (keyword === "type" && messages.size) return;
    }
    if (!isObject && !isArray) return;
    const names = [...rules].flatMap(({ properties = {} }) => Object.keys(properties)).concat(Object.keys(value));
    for (const name of isArray ? Object.keys(value) : [...new Set(names)].sort()) {
      const item = member(value, name);
      const below = [...rules].map(({ properties, optional, rest = {}, items = {} }) => {
        const required = member(properties, name);
        return isArray
          ? items
          : item === undefined
            ? required === undefined ? {} : { required: name }
            : (required ?? member(optional, name) ?? (rest || { additionalProperties: name }));
      });
      visit(below, item, `${path}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`, found);
    }
  };
  if (shallow(value, 128)) visit([root], value, "", violations);
  else violations.push({ path: "", message: "nested deeper than 128 levels", keyword: "depth" });
  return { ok: false, violations: violations.slice(0, limit) };
}
