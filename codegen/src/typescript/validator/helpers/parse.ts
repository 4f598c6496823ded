/**
 * The value, or every violation, sorted by path, then by keyword. A rule is the name of a type, a `ref` to a definition, or
 * keywords: `properties` are required, `optional` ones are not, `rest` is the rule of all others (`false` allows none), and
 * `text` is shown in messages where JavaScript would print a keyword's value differently. A union matches only values that
 * follow the rule `any`, and a branch only values that follow its rule in `when`.
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
  const equals = (value«: any», literals«: any») => literals.includes(value) || among?.(value, literals);
  const follow = (rule«: any»)«: any» =>
    typeof rule === "string" ? { type: rule } : rule.ref != null ? follow(definitions[rule.ref]) : rule;
  const member = (members«: any», name«: any») => (Object.hasOwn(members, name) ? members[name] : undefined);
  /** The violations under one rule. They are remembered, because a value may be reached in exponentially many ways. */
  const find = (rule«: any», value«: any»)«: any[]» => {
    const known = (follow(rule).known ??= new Map());
    if (!known.has(value)) {
      known.set(value, []);
      visit([rule], value, "", known.get(value));
    }
    return known.get(value);
  };
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
          : typeof value === "object"
            ? `${value && value.constructor?.name}`
            : typeof value === "number" && !Number.isFinite(value)
              ? `${value}`
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
    /** The messages of violated keywords, in the order in which the violations of one value are listed. */
    const checks«: any» = {
      type: mismatch,
      false: () => "no value is allowed here",
      enum: (values«: any», text = `[${values.map(literal)}]`) =>
        !equals(value, values) && `value not in enum ${text}`,
      const: (only«: any», text = literal(only)) => !equals(value, [only]) && `value is not ${text}`, // <const>
      ...(typeof value === "number" && {
        minimum: least,
        maximum: most,
        exclusiveMinimum: (limit«: any») => limits(value > limit, "greater than", limit), // <exclusiveMinimum>
        exclusiveMaximum: (limit«: any») => limits(value < limit, "less than", limit), // <exclusiveMaximum>
        multipleOf: ([divisor, accepts]«: any», text = literal(divisor)) => must(accepts(value, divisor), `be a multiple of ${text}`), // <multipleOf>
      }),
      ...(typeof value === "string" && {
        minLength: least,
        maxLength: most,
        pattern: (pattern«: any», text = literal(pattern.source)) => must(pattern.test(value), `match the pattern ${text}`), // <pattern>
        format: ([name, accepts]«: any») => must(accepts(value), `be a valid ${name}`), // <format>
      }),
      ...(isArray && {
        minItems: least,
        maxItems: most,
        uniqueItems: (repeated«: any», pair = repeated(value)) => pair && `items ${pair.join(" and ")} are equal`, // <uniqueItems>
      }),
      required: (name«: any», values = "") => `missing required property ${literal(name)}${values}`,
      additionalProperties: (name«: any») => `unexpected property${shown(" " + literal(name))}`,
      anyOf: String, // <unions>
      oneOf: String, // <unions>
      not: (rule«: any») => !find(rule, value)[0] && "matches the schema in not",
    };
    // The loop also visits the rules that it adds to the set.
    for (const rule of rules) {
      if (mismatch(rule.type ?? type)) continue;
      for (const part of rule.allOf ?? []) rules.add(follow(part));
      for (const { keyword, any = {}, when = [], branches } of rule.unions ?? []) { // <unions>
        const failed = when.map((rule«: any») => find(rule, value)[0]); // <unions>
        // A branch that allows the type is closer than others, and one that could match is closer still. // <unions>
        const distances = branches.map( // <unions>
          (branch«: any», index«: number») => // <unions>
            find(branch, value).length + (failed[index] ? (failed[index].keyword === "type" ? 2e9 : 1e9) : 0), // <unions>
        ); // <unions>
        const index = distances.indexOf(Math.min(...distances)); // <unions>
        const closest = branches[index]; // <unions>
        if (!distances[index]) { // <unions>
          const second = distances.indexOf(0, index + 1); // <unions>
          if (second > 0 && keyword === "oneOf") // <unions>
            rules.add({ [keyword]: `matches more than one branch of ${keyword}: ${index} and ${second}` }); // <unions>
        } else if (find(any, value)[0]) rules.add(follow(any)); // <unions>
        else if (distances.filter((distance«: number») => distance < 1e9).length === 1) rules.add(follow(closest)); // <unions>
        else { // <unions>
          const lacks = find(closest, value).map(({ path, message }) => message + (path && shown(" at " + cut(path)))); // <unions>
          const more = lacks[16] ? `; and ${lacks.length - 16} more` : ""; // <unions>
          const text = `; closest is branch ${index}${closest.ref != null ? ` (${literal(closest.ref)})` : ""}: ${lacks.slice(0, 16).join("; ")}${more}`; // <unions>
          // Within a branch of an open union, another one is not explained: each level would make the message longer. // <unions>
          rules.add({ [keyword]: `matches no branch of ${keyword}${found === violations ? text : ""}` }); // <unions>
        } // <unions>
      } // <unions>
    }
    const all = [...rules];
    for (const keyword in checks) {
      const messages = all.flatMap(
        (rule) => (rule[keyword] !== undefined && checks[keyword](rule[keyword], rule.text?.[keyword])) || [],
      );
      if (!messages[0]) continue;
      // Several rules may have the same message. A missing property has one: with its allowed values, if a rule has them.
      for (const message of new Set(messages.sort().slice(keyword === "required" ? -1 : 0))) found.push({ path, message, keyword });
      // Nothing else is listed about a value of the wrong type.
      if (keyword === "type") return;
    }
    if (!isArray && !isObject) return;
    const names = all.flatMap(({ properties = {} }) => Object.keys(properties)).concat(Object.keys(value)).sort();
    for (const name of isArray ? Object.keys(value) : new Set(names)) {
      const item = member(value, name);
      const below = all.flatMap(({ properties = {}, optional = {}, rest = [], items = [] }) =>
        isArray
          ? items
          : item === undefined
            ? member(properties, name) ? { required: name, text: member(properties, name).text } : []
            : (member(properties, name) ?? member(optional, name) ?? (rest || { additionalProperties: name })),
      );
      const at = `${path}/${name.replace(/~/g, "~0").replace(/\//g, "~1")}`;
      if (below[1] || found === violations) visit(below, item, at, found);
      else for (const rule of below) for (const inner of find(rule, item)) found.push({ ...inner, path: at + inner.path });
    }
  };
  if (shallow(value, 128)) visit([root], value, "", violations);
  // The members of the value are not visited, because that could overflow the stack.
  else violations.push({ path: "", message: "nested deeper than 128 levels", keyword: "depth" });
  return { ok: false, violations: violations.slice(0, Math.max(1, limit ?? Infinity)) };
}
