/**
 * The value, or every violation, sorted by path, then by keyword. A rule is the name of a type, a `ref` to a definition, or
 * keywords: `properties` are required, `optional` ones are not, `rest` is the rule of all others (`false` allows none), `tag`
 * is the only value of an `enum`, and `text` is shown in messages where JavaScript would print a keyword's value differently.
 */
function parse(isValid«: boolean», value«: any», { redact, limit }«: any» = {}, schema«: () => any»)«: any» {
  if (isValid) return { ok: true, value };
  const [root, definitions, among] = schema();
  const violations«: any[]» = [];
  /** At most 64 code points. */
  const cut = (text«: string», write«: any» = String)«: string» => {
    const shown = [...text.slice(0, 128)].slice(0, 64).join("");
    return write(shown) + (shown === text ? "" : "...");
  };
  const literal = (json«: any») => (typeof json === "string" ? cut(json, JSON.stringify) : cut(JSON.stringify(json)));
  const equals = (value«: any», literals«: any») => literals.includes(value) || !!among?.(value, literals);
  const follow = (rule«: any»)«: any» =>
    typeof rule === "string" ? { type: rule } : rule.ref != null ? follow(definitions[rule.ref]) : rule;
  const member = (members«: any», name«: any») => (Object.hasOwn(members, name) ? members[name] : undefined);
  /** The violations of a branch. They are remembered, because a definition may be reached in exponentially many ways. */
  const find = (rule«: any», value«: any»)«: any[]» => {
    const known = (follow(rule).known ??= new Map());
    if (!known.has(value)) {
      known.set(value, []);
      visit([rule], value, "", known.get(value));
    }
    return known.get(value);
  };
  /** The properties with one allowed value, which distinguish branches: the name, the value, and how a message shows them. */
  const tags = (branch«: any»)«: any[]» =>
    [branch, ...(follow(branch).allOf ?? [])].map(follow).flatMap(({ properties, optional }) =>
      Object.entries({ ...properties, ...optional }).flatMap(([name, rule]) => {
        const { const: only, tag = only, text } = follow(rule);
        return tag === undefined ? [] : [[name, tag, `${literal(name)} ${text?.const ?? literal(tag)}`]];
      }),
    );
  /** Lists the violations of a value that must follow all of the given rules. */
  const visit = (given«: any[]», value«: any», path«: string», found«: any[]»)«: void» => {
    const rules = new Set(given.map(follow));
    const isArray = Array.isArray(value);
    const isObject = isDict(value);
    const type = isArray
      ? "array"
      : isObject
        ? "object"
        : Number.isInteger(value)
          ? "integer"
          : value === null || (typeof value === "number" && !Number.isFinite(value))
            ? `${value}`
            : typeof value === "object"
              ? value.constructor?.name
              : typeof value;
    const mismatch = (types«: any») =>
      !types.includes(type) &&
      (type !== "integer" || !types.includes("number")) &&
      `expected ${[types].flat().join(", ").replace(/, (?=\w+$)/, " or ")}, got ${type}`;
    /** Paths and values may be secret. */
    const shown = (text«: string») => (redact ? "" : text);
    const must = (holds«: boolean», text«: string») =>
      !holds && `must ${text}` + (isArray ? ", got " + size : shown(", got " + literal(value)));
    const unit = isArray ? "item" : typeof value === "string" && "character";
    const size = unit ? [...value].length : value;
    const limits = (holds«: boolean», text«: string», limit«: any») =>
      must(holds, unit ? `have ${text} ${limit} ${unit}${limit === 1 ? "" : "s"}` : `be ${text} ${limit}`);
    const least = (limit«: any») => limits(size >= limit, "at least", limit);
    const most = (limit«: any») => limits(size <= limit, "at most", limit);
    const union = (branches«: any[]», _«: any», keyword«: string»)«: any» => {
      /** The violations of each branch. */
      const lacks«: any[]» = branches.map((branch) => find(branch, value));
      const [first, second] = lacks.flatMap((lack, index) => (lack[0] ? [] : index));
      const plain = `matches no branch of ${keyword}`;
      if (first !== undefined)
        return second && keyword === "oneOf" && `matches more than one branch of oneOf: ${first} and ${second}`;
      // Unions within branches are not explained, because explaining each level would take exponential time.
      if (found !== violations) return plain;
      const types = branches.map((branch) => follow(branch).type);
      const message = types.every(Boolean) && mismatch([...new Set(types.flat())]);
      if (message) return `${plain}: ${message}`;
      // A wrong type counts more than a tag with another value, which counts more than the number of violations.
      const distances = lacks.map(([{ path, keyword }, ...more], index) => {
        const same = tags(branches[index]).flatMap(([name, only]) =>
          isObject && member(value, name) !== undefined ? equals(member(value, name), [only]) : [],
        );
        return (path + keyword === "type" ? 3e9 : same.includes(false) ? 2e9 : same[0] ? 0 : 1e9) + more.length;
      });
      const index = distances.indexOf(Math.min(...distances));
      const [lack, ...more] = lacks[index];
      const branch = branches[index];
      const label = branch.ref != null ? literal(branch.ref) : tags(branch).map((tag) => tag[2]).sort()[0];
      const place = lack.path && shown(" at " + cut(lack.path));
      return `${plain}; closest is branch ${index}${label ? ` (${label})` : ""}: ${lack.message}${place}${more.length ? ` (and ${more.length} more)` : ""}`;
    };
    /** The messages of violated keywords, in the order in which the violations of one value are listed. */
    const checks«: any» = {
      type: mismatch,
      false: () => "no value is allowed here",
      depth: () => "nested deeper than 128 levels",
      enum: (values«: any», text = `[${values.map(literal)}]`) => // <enum>
        !equals(value, values) && `value not in enum ${text}`, // <enum>
      const: (only«: any», text = literal(only)) => !equals(value, [only]) && `value is not ${text}`, // <const>
      ...(typeof value === "number" && {
        minimum: least,
        maximum: most,
        exclusiveMinimum: (limit«: any») => limits(value > limit, "greater than", limit), // <exclusiveMinimum>
        exclusiveMaximum: (limit«: any») => limits(value < limit, "less than", limit), // <exclusiveMaximum>
      }),
      ...(typeof value === "string" && { // <minLength maxLength pattern format>
        minLength: least,
        maxLength: most,
        pattern: (pattern«: any», text = literal(pattern.source)) => must(pattern.test(value), `match the pattern ${text}`), // <pattern>
        format: ([name, accepts]«: any») => must(accepts(value), `be a valid ${name}`), // <format>
      }), // <minLength maxLength pattern format>
      ...(isArray && { // <minItems maxItems uniqueItems>
        minItems: least,
        maxItems: most,
        uniqueItems: (repeated«: any», pair = repeated(value)) => pair && `items ${pair.join(" and ")} are equal`, // <uniqueItems>
      }), // <minItems maxItems uniqueItems>
      required: (name«: any») => `missing required property ${literal(name)}`,
      additionalProperties: (name«: any») => `unexpected property${shown(" " + literal(name))}`,
      anyOf: union,
      oneOf: union,
      not: (rule«: any») => !find(rule, value)[0] && "matches the schema in not", // <not>
    };
    // The loop also visits the rules that it adds to the set.
    for (const { type: types = type, allOf = [] } of rules) {
      if (!mismatch(types)) for (const part of allOf) rules.add(follow(part));
    }
    for (const keyword in checks) {
      const messages = [...rules].map(
        (rule) => rule[keyword] !== undefined && checks[keyword](rule[keyword], rule.text?.[keyword], keyword),
      );
      // Several rules may have the same message.
      for (const message of new Set(messages.sort())) if (message) found.push({ path, message, keyword });
      // Nothing else is listed about a value of the wrong type.
      if (keyword === "type" && messages.some(Boolean)) return;
    }
    if (!isArray && !isObject) return;
    const names = [...rules].flatMap(({ properties = {} }) => Object.keys(properties)).concat(Object.keys(value)).sort();
    for (const name of isArray ? Object.keys(value) : new Set(names)) {
      const item = member(value, name);
      const below = [...rules].map(({ properties = {}, optional = {}, rest = {}, items = {} }) =>
        isArray
          ? items
          : item === undefined
            ? member(properties, name) ? { required: name } : {}
            : (member(properties, name) ?? member(optional, name) ?? (rest || { additionalProperties: name })),
      );
      visit(below, item, `${path}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`, found);
    }
  };
  if (shallow(value, 128)) visit([root], value, "", violations);
  // The members of the value are not visited, because that could overflow the stack.
  else visit([{ depth: 128 }], null, "", violations);
  return { ok: false, violations: violations.slice(0, limit) };
}
