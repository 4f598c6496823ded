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
  const typeOf = (value«: any») => {
    const type = typeof value;
    if (type === "number") return Number.isInteger(value) ? "integer" : Number.isFinite(value) ? type : `${value}`;
    if (type !== "object" && type !== "function") return type;
    if (Array.isArray(value)) return "array";
    return isDict(value) ? "object" : type === "object" ? `${value && value.constructor?.name}` : type;
  };
  /** The value that is checked. */
  let current«: any»;
  const mismatch = (types«: any», type«: string») =>
    types !== type &&
    !types.includes(type) &&
    (type !== "integer" || !types.includes("number")) &&
    `expected ${[types].flat().join(", ").replace(/, (?=\w+$)/, " or ")}, got ${type}`;
  const must = (text«: string») =>
    `must ${text}` + (Array.isArray(current) ? ", got " + current.length : shown(", got " + literal(current)));
  const limits = (unit«: string», text«: string», holds«: any») => (limit«: any») => {
    if ((Array.isArray(current) ? "item" : typeof current === "string" ? "character" : typeof current) !== unit) return false;
    if (unit === "number") return !holds(current, limit) && must(`be ${text} ${limit}`);
    let size = current.length;
    // A code point has one or two units, so most need not be counted.
    if (unit === "character" && holds(size, limit) !== holds(size / 2, limit)) {
      size = 0;
      for (const _ of current) size++;
    }
    return !holds(size, limit) && must(`have ${text} ${limit} ${unit}${limit === 1 ? "" : "s"}`);
  };
  const least = (unit«: string») => limits(unit, "at least", (size«: any», limit«: any») => size >= limit);
  const most = (unit«: string») => limits(unit, "at most", (size«: any», limit«: any») => size <= limit);
  /** The messages of violated keywords, in the order in which they are listed. Valid values cost no texts. */
  const checks«: any» = {
    propertyNames: String, // <names>
    type: 0,
    false: () => "no value is allowed here",
    enum: (values«: any», text«: any») =>
      !equals(current, values) && `value not in enum ${text ?? `[${values.map(literal)}]`}`,
    const: (only«: any», text«: any») => !equals(current, [only]) && `value is not ${text ?? literal(only)}`, // <const>
    minimum: least("number"),
    maximum: most("number"),
    exclusiveMinimum: limits("number", "greater than", (size«: any», limit«: any») => size > limit), // <exclusiveMinimum>
    exclusiveMaximum: limits("number", "less than", (size«: any», limit«: any») => size < limit), // <exclusiveMaximum>
    multipleOf: ([divisor, accepts]«: any», text«: any») => typeof current === "number" && !accepts(current, divisor) && must(`be a multiple of ${text ?? literal(divisor)}`), // <multipleOf>
    minLength: least("character"), // <minLength>
    maxLength: most("character"), // <maxLength>
    pattern: (pattern«: any», text«: any») => typeof current === "string" && !pattern.test(current) && must(`match the pattern ${text ?? literal(pattern.source)}`), // <pattern>
    format: ([name, accepts]«: any») => typeof current === "string" && !accepts(current) && must(`be a valid ${name}`), // <format>
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
    const type = typeOf(value);
    const rules = given.map(follow);
    const messages«: any[]» = [];
    current = value;
    // The loop also visits the rules that it adds.
    for (const rule of rules) {
      const message = rule.type && mismatch(rule.type, type);
      if (message) {
        messages.push({ keyword: "type", message });
        continue;
      }
      for (const part of (rule.allOf ?? []).map(follow)) if (!rules.includes(part)) rules.push(part); // <allOf>
      for (const { keyword, any = {}, when = [], branches } of rule.unions ?? []) { // <unions>
        let next«: any»; // <unions>
        const countOf = (rule«: any») => { // <unions>
          const list = listOf(0); // <unions>
          visit([rule], value, list); // <unions>
          current = value; // <unions>
          return list.count; // <unions>
        }; // <unions>
        // A branch that allows the type is closer than others, and one that could match is closer still. // <unions>
        const failed = branches.map((_«: any», index«: number») => { // <unions>
          const rule = follow(when[index] ?? {}); // <unions>
          return rule.type && mismatch(rule.type, type) ? 2e9 : countOf(rule) && 1e9; // <unions>
        }); // <unions>
        const nearest = Math.min(...failed); // <unions>
        // Only the nearest branches are visited, and none if the value lacks what all of them need. // <unions>
        const lacksAny = nearest && countOf(any); // <unions>
        const distances = branches.map((branch«: any», index«: number») => // <unions>
          lacksAny || failed[index] > nearest ? Infinity : failed[index] + find(branch, value).count, // <unions>
        ); // <unions>
        const index = distances.indexOf(Math.min(...distances)); // <unions>
        const closest = branches[index]; // <unions>
        if (!distances[index]) { // <unions>
          const second = distances.indexOf(0, index + 1); // <unions>
          if (second > 0 && keyword === "oneOf") // <unions>
            next = { [keyword]: `matches more than one branch of ${keyword}: ${index} and ${second}` }; // <unions>
        } else if (lacksAny || countOf(any)) next = follow(any); // <unions>
        else if (distances.filter((distance«: number») => distance < 1e9).length === 1) next = follow(closest); // <unions>
        else { // <unions>
          const { found, count } = find(closest, value); // <unions>
          const lacks = found.map(({ path, message }«: any») => message + (path && shown(" at " + cut(path)))); // <unions>
          const more = count > 16 ? `; and ${count - 16} more` : ""; // <unions>
          const text = `; closest is branch ${index}${closest.ref != null ? ` (${literal(closest.ref)})` : ""}: ${lacks.join("; ")}${more}`; // <unions>
          // Within a branch of an open union, another one is not explained: each level would make the message longer. // <unions>
          next = { [keyword]: `matches no branch of ${keyword}${list === report ? text : ""}` }; // <unions>
        } // <unions>
        if (next && !rules.includes(next)) rules.push(next); // <unions>
      } // <unions>
    }
    // Only names are also listed about a value of the wrong type.
    const isWrong = messages[0];
    for (const rule of rules)
      for (const keyword in rule)
        if (checks[keyword] && (!isWrong || keyword === "propertyNames")) {
          const message = checks[keyword](rule[keyword], rule.text?.[keyword]);
          if (message) messages.push({ keyword, message });
        }
    const order = messages[1] && Object.keys(checks);
    messages.sort((a, b) => order.indexOf(a.keyword) - order.indexOf(b.keyword) || (a.message < b.message ? -1 : +(a.message > b.message)));
    for (const [index, { keyword, message }] of messages.entries()) {
      const next = messages[index + 1];
      // Several rules may have the same message. A missing property has one: with its allowed values, if a rule has them.
      if (next?.keyword !== keyword || (keyword !== "required" && next.message !== message)) addTo(list, () => pointer(path), message, keyword);
    }
    if (isWrong || (!isArray && (type !== "object" || !isDict(value)))) return;
    const names«: any[]» = [];
    if (!isArray) {
      for (const { properties } of rules) if (properties) names.push(...Object.keys(properties));
      // Other members are only visited if there are rules for them.
      if (rules.some(({ optional, rest, names }) => optional || names || rest !== undefined))
        for (const name of Object.keys(value)) if (!rules.some(({ properties }) => properties && member(properties, name))) names.push(name);
      names.sort();
    }
    const ofItems = isArray ? rules.flatMap(({ items = [] }) => items) : [];
    const size = isArray ? ofItems.length && value.length : names.length;
    for (let index = 0; index < size; index++) {
      const name = isArray ? index : names[index];
      // Several rules may require a member.
      if (!isArray && name === names[index - 1]) continue;
      const item = isArray ? value[index] : member(value, name);
      const below«: any[]» = isArray ? ofItems : [];
      if (!isArray)
        for (const rule of rules) {
          const { properties, optional, rest } = rule;
          const required = properties && member(properties, name);
          if (item === undefined) {
            if (required) below.push({ required: name, text: required.text });
            continue;
          }
          const declared = required ?? (optional && member(optional, name)) ?? (rest === false ? { additionalProperties: name } : rest);
          if (declared) below.push(declared);
          for (const { message } of rule.names ? find(rule.names, name).found : []) below.push({ propertyNames: `property name ${message}` }); // <names>
        }
      if (!below[0] || below.every((rule) => rule === typeOf(item))) continue;
      const place = [name, path];
      const only = follow(below[0]);
      // Most members are scalars, which need not be remembered.
      const isSimple = typeof item !== "object" && !(item?.length > 64) && !only.unions && !only.allOf && !only.not;
      if (below[1] || isSimple) visit(below, item, list, place);
      else if (list === report) {
        // A value may be at many places. If it is valid, it is visited once.
        const valid = (only.valid ??= new Set());
        const { count } = list;
        if (!valid.has(item)) visit(below, item, list, place);
        if (list.count === count) valid.add(item);
      } else {
        const { found, count } = find(only, item);
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
