/**
 * The value, or its violations, sorted by path, then by keyword: the first `limit` (100), with at most `maxBytes` (65536) bytes of
 * text, but at least one. A rule is the name of a type, a `ref` to a definition, or
 * keywords: `properties` are required, `optional` ones are not, `rest` is the rule of all others (`false` allows none), and
 * `text` is shown in messages where JavaScript would print a keyword's value differently. A union matches only values that
 * follow the rule `any`, and a branch only values that follow its rule in `when`.
 */
function parse(isValid«: boolean», value«: any», { redact, limit, maxBytes }«: any» = {}, schema«: () => any»)«: any» {
  if (isValid) return { ok: true, value };
  const [root, definitions, among] = schema();
  const report = listOf(Math.max(1, Math.floor(limit ?? 100) || 1), (maxBytes ?? 65_536) || 0);
  /** At most 64 code points. */
  const cut = (text«: string», write«: any» = String)«: string» => {
    const shown = clip(text, 64, "");
    return write(shown) + (shown === text ? "" : "...");
  };
  const literal = (json«: any») => (typeof json === "string" ? cut(json, JSON.stringify) : cut(JSON.stringify(json)));
  /** Paths and values may be secret. */
  const shown = (text«: string») => (redact ? "" : text);
  const equals = (value«: any», literals«: any») => literals.includes(value) || among?.(value, literals);
  const follow = (rule«: any»)«: any» =>
    typeof rule === "string" ? { type: rule } : rule.ref != null ? follow(definitions[rule.ref]) : rule;
  const member = (members«: any», name«: any») => (Object.hasOwn(members, name) ? members[name] : undefined);
  const typeOf = (value«: any») =>
    Array.isArray(value)
      ? "array"
      : isDict(value)
        ? "object"
        : Number.isInteger(value)
          ? "integer"
          : typeof value === "object"
            ? `${value && value.constructor?.name}`
            : typeof value === "number" && !Number.isFinite(value)
              ? `${value}`
              : typeof value;
  /** The value that is checked. */
  let current«: any»;
  const mismatch = (types«: any», _«: any» = 0, type = typeOf(current)) =>
    !types.includes(type) &&
    (type !== "integer" || !types.includes("number")) &&
    `expected ${[types].flat().join(", ").replace(/, (?=\w+$)/, " or ")}, got ${type}`;
  const sizeOf = (value«: any») => {
    if (Array.isArray(value)) return value.length;
    let size = 0;
    for (const _ of value) size++;
    return size;
  };
  const unitOf = (value«: any») => (Array.isArray(value) ? "item" : typeof value === "string" ? "character" : typeof value);
  const must = (holds«: boolean», text«: string») =>
    !holds && `must ${text}` + (Array.isArray(current) ? ", got " + current.length : shown(", got " + literal(current)));
  const limits = (unit«: string», text«: string», holds«: any») => (limit«: any») =>
    unitOf(current) === unit &&
    must(
      holds(unit === "number" ? current : sizeOf(current), limit),
      unit === "number" ? `be ${text} ${limit}` : `have ${text} ${limit} ${unit}${limit === 1 ? "" : "s"}`,
    );
  const least = (unit«: string») => limits(unit, "at least", (size«: any», limit«: any») => size >= limit);
  const most = (unit«: string») => limits(unit, "at most", (size«: any», limit«: any») => size <= limit);
  /** The messages of violated keywords, in the order in which the violations of one value are listed. */
  const checks«: any» = {
    propertyNames: String, // <names>
    type: mismatch,
    false: () => "no value is allowed here",
    enum: (values«: any», text = `[${values.map(literal)}]`) =>
      !equals(current, values) && `value not in enum ${text}`,
    const: (only«: any», text = literal(only)) => !equals(current, [only]) && `value is not ${text}`, // <const>
    minimum: least("number"),
    maximum: most("number"),
    exclusiveMinimum: limits("number", "greater than", (size«: any», limit«: any») => size > limit), // <exclusiveMinimum>
    exclusiveMaximum: limits("number", "less than", (size«: any», limit«: any») => size < limit), // <exclusiveMaximum>
    multipleOf: ([divisor, accepts]«: any», text = literal(divisor)) => typeof current === "number" && must(accepts(current, divisor), `be a multiple of ${text}`), // <multipleOf>
    minLength: least("character"), // <minLength>
    maxLength: most("character"), // <maxLength>
    pattern: (pattern«: any», text = literal(pattern.source)) => typeof current === "string" && must(pattern.test(current), `match the pattern ${text}`), // <pattern>
    format: ([name, accepts]«: any») => typeof current === "string" && must(accepts(current), `be a valid ${name}`), // <format>
    minItems: least("item"), // <minItems>
    maxItems: most("item"), // <maxItems>
    uniqueItems: (repeated«: any», pair = Array.isArray(current) && repeated(current)) => pair && `items ${pair.join(" and ")} are equal`, // <uniqueItems>
    required: (name«: any», values = "") => `missing required property ${JSON.stringify(clip(name))}${values}`,
    additionalProperties: (name«: any») => `unexpected property${shown(" " + JSON.stringify(clip(name)))}`, // <rest>
    anyOf: String, // <unions>
    oneOf: String, // <unions>
    not: (rule«: any») => !find(rule, current).count && "matches the schema in not", // <not>
  };
  /** A path is a list from its last name or index to its first, and is written only for violations that are listed. */
  const pointer = (path«: any»)«: string» =>
    path ? `${pointer(path[1])}/${clip(`${path[0]}`).replace(/~/g, "~0").replace(/\//g, "~1")}` : "";
  /**
   * The number of violations under one rule, and the first 16. They are remembered, because a value may be reached in exponentially
   * many ways.
   */
  const find = (rule«: any», value«: any»)«: any» => {
    const known = (follow(rule).known ??= new Map());
    const list = known.get(value) ?? listOf(16);
    if (!known.has(value)) visit([rule], value, list);
    known.set(value, list);
    current = value;
    return list;
  };
  /** Lists the violations of a value that must follow all of the given rules. All lists but the report are for unions. */
  const visit = (given«: any[]», value«: any», list«: any», path«?: any»)«: void» => {
    const isArray = Array.isArray(value);
    const rules = new Set(given.map(follow));
    current = value;
    // The loop also visits the rules that it adds to the set.
    for (const rule of rules) {
      if (rule.type && mismatch(rule.type)) continue;
      for (const part of rule.allOf ?? []) rules.add(follow(part)); // <allOf>
      for (const { keyword, any = {}, when = [], branches } of rule.unions ?? []) { // <unions>
        const failed = when.map((rule«: any») => find(rule, value).found[0]); // <unions>
        // A branch that allows the type is closer than others, and one that could match is closer still. // <unions>
        const distances = branches.map( // <unions>
          (branch«: any», index«: number») => // <unions>
            find(branch, value).count + (failed[index] ? (failed[index].keyword === "type" ? 2e9 : 1e9) : 0), // <unions>
        ); // <unions>
        const index = distances.indexOf(Math.min(...distances)); // <unions>
        const closest = branches[index]; // <unions>
        if (!distances[index]) { // <unions>
          const second = distances.indexOf(0, index + 1); // <unions>
          if (second > 0 && keyword === "oneOf") // <unions>
            rules.add({ [keyword]: `matches more than one branch of ${keyword}: ${index} and ${second}` }); // <unions>
        } else if (find(any, value).count) rules.add(follow(any)); // <unions>
        else if (distances.filter((distance«: number») => distance < 1e9).length === 1) rules.add(follow(closest)); // <unions>
        else { // <unions>
          const { found, count } = find(closest, value); // <unions>
          const lacks = found.map(({ path, message }«: any») => message + (path && shown(" at " + cut(path)))); // <unions>
          const more = count > 16 ? `; and ${count - 16} more` : ""; // <unions>
          const text = `; closest is branch ${index}${closest.ref != null ? ` (${literal(closest.ref)})` : ""}: ${lacks.join("; ")}${more}`; // <unions>
          // Within a branch of an open union, another one is not explained: each level would make the message longer. // <unions>
          rules.add({ [keyword]: `matches no branch of ${keyword}${list === report ? text : ""}` }); // <unions>
        } // <unions>
      } // <unions>
    }
    const all = [...rules];
    for (const keyword in checks) {
      const messages«: any[]» = [];
      for (const rule of all) {
        const message = rule[keyword] !== undefined && checks[keyword](rule[keyword], rule.text?.[keyword]);
        if (message) messages.push(message);
      }
      if (!messages[0]) continue;
      // Several rules may have the same message. A missing property has one: with its allowed values, if a rule has them.
      for (const message of new Set(messages.sort().slice(keyword === "required" ? -1 : 0))) addTo(list, () => pointer(path), message, keyword);
      // Nothing else is listed about a value of the wrong type.
      if (keyword === "type") return;
    }
    if (!isArray && !isDict(value)) return;
    const declared = all.flatMap(({ properties = {} }) => Object.keys(properties));
    for (const name of isArray ? value.keys() : new Set(declared.concat(Object.keys(value)).sort())) {
      const item = member(value, name);
      const below = all.flatMap(({ properties = {}, optional = {}, rest = [], items = [] }) =>
        isArray
          ? items
          : item === undefined
            ? member(properties, name) ? { required: name, text: member(properties, name).text } : []
            : (member(properties, name) ?? member(optional, name) ?? (rest || { additionalProperties: name })),
      );
      for (const names of isArray || item === undefined ? [] : all.flatMap(({ names = [] }) => names)) // <names>
        for (const { message } of find(names, name).found) below.push({ propertyNames: `property name ${message}` }); // <names>
      if (below.every((rule) => rule === typeOf(item))) continue;
      const place = [name, path];
      if (below[1]) visit(below, item, list, place);
      else if (list === report) {
        // A value may be at many places. If it is valid, it is visited once.
        const valid = (follow(below[0]).valid ??= new Set());
        const { count } = list;
        if (!valid.has(item)) visit(below, item, list, place);
        if (list.count === count) valid.add(item);
      } else {
        const { found, count } = find(below[0], item);
        for (const inner of found) addTo(list, () => pointer(place) + inner.path, inner.message, inner.keyword);
        list.count += count - found.length;
      }
      // The paths come in order, so those that follow are left out, too.
      if (list === report && report.truncated) return;
    }
  };
  if (shallow(value, 128)) visit([root], value, report);
  // The members of the value are not visited, because that could overflow the stack.
  else addTo(report, () => "", "nested deeper than 128 levels", "depth");
  return { ok: false, violations: report.found, truncated: report.truncated };
}
