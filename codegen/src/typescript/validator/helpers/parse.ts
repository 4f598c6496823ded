/**
 * The value, or its violations, sorted by path, then by keyword: the first `limit` (100), with at most `maxBytes` (65536) bytes of
 * text, but at least one. A rule is the name of a type, a `ref` to a definition, or
 * keywords: `properties` are required, `optional` ones are not, `dependent` lists those that others require, `patterns` are pairs of a pattern of names and a rule, `rest` is the rule of all others (`false` allows none), and
 * `text` is shown in messages where JavaScript would print a keyword's value differently. A union matches only values that
 * follow the rule `any`, and a branch only values that follow its rule in `when`. `ofName` is the rule of a name that does not follow it.
 * The option `params` is a function that gives violations parameters.
 */
function parse(isValid«: boolean», value«: any», { redact, limit, maxBytes, params }«: any» = {}, schema«: () => any»)«: any» {
  if (isValid) return { ok: true, value };
  const [root, definitions, among, explain] = schema();
  let report = listOf(Math.max(1, Math.floor(limit ?? 100) || 1), (maxBytes ?? 65_536) || 0);
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
  const has = (members«: any», name«: any»)«: boolean» => Object.prototype.hasOwnProperty.call(members, name);
  const member = (members«: any», name«: any») => (has(members, name) ? members[name] : undefined);
  const typeOf = (value«: any») => {
    const type = typeof value;
    if (type === "number") return Number.isInteger(value) ? "integer" : Number.isFinite(value) ? type : `${value}`;
    if (type !== "object") return type;
    return value === null ? "null" : Array.isArray(value) ? "array" : isDict(value) ? type : "instance";
  };
  const isOf = (types«: any», type«: string») =>
    types === type || types.includes(type) || (type === "integer" && types.includes("number"));
  const must = (value«: any», text«: string») => () =>
    `must ${text}` + (Array.isArray(value) ? ", got " + value.length : shown(", got " + literal(value)));
  const limits = (unit«: string», text«: string», holds«: any») => (limit«: any», value«: any») => {
    if ((Array.isArray(value) ? "item" : typeof value === "string" ? "character" : typeof value) !== unit) return false;
    if (unit === "number") return !holds(value, limit) && must(value, `be ${text} ${limit}`);
    let size = value.length;
    // A code point has one or two units, so most need not be counted.
    if (unit === "character" && holds(size, limit) !== holds(size / 2, limit)) {
      size = 0;
      for (const _ of value) size++;
    }
    return !holds(size, limit) && must(value, `have ${text} ${limit} ${unit}${limit === 1 ? "" : "s"}`);
  };
  const least = (unit«: string») => limits(unit, "at least", (size«: any», limit«: any») => size >= limit);
  const most = (unit«: string») => limits(unit, "at most", (size«: any», limit«: any») => size <= limit);
  function counted(value«: any», limit«: any», text«: string», holds«: (size: number) => boolean»)«: any» { // <minProperties maxProperties>
    const size = isDict(value) ? Object.values(value).filter((member) => member !== undefined).length : undefined; // <minProperties maxProperties>
    return size !== undefined && !holds(size) && (() => `must have at ${text} ${limit} propert${`${limit}` === "1" ? "y" : "ies"}, got ${size}`); // <minProperties maxProperties>
  } // <minProperties maxProperties>
  /** For each keyword that a value violates, a function that writes the message; in the order in which messages are listed. */
  const checks«: any» = {
    propertyNames: (text«: string») => () => text, // <names>
    type: undefined,
    false: () => () => "no value is allowed here",
    enum: (values«: any», value«: any», text«: any») =>
      !equals(value, values) && (() => `value not in enum ${text ?? `[${values.map(literal)}]`}`),
    const: (only«: any», value«: any», text«: any») => !equals(value, [only]) && (() => `value is not ${text ?? literal(only)}`), // <const>
    minimum: least("number"),
    maximum: most("number"),
    exclusiveMinimum: limits("number", "greater than", (size«: any», limit«: any») => size > limit), // <exclusiveMinimum>
    exclusiveMaximum: limits("number", "less than", (size«: any», limit«: any») => size < limit), // <exclusiveMaximum>
    multipleOf: ([divisor, accepts]«: any», value«: any», text«: any») => typeof value === "number" && !accepts(value, divisor) && must(value, `be a multiple of ${text ?? literal(divisor)}`), // <multipleOf>
    minLength: least("character"), // <minLength>
    maxLength: most("character"), // <maxLength>
    pattern: (pattern«: any», value«: any», text«: any») => typeof value === "string" && !pattern.test(value) && must(value, `match the pattern ${text ?? literal(pattern.source)}`), // <pattern>
    format: ([name, accepts]«: any», value«: any») => typeof value === "string" && !accepts(value) && must(value, `be a valid ${name}`), // <format>
    minItems: least("item"), // <minItems>
    maxItems: most("item"), // <maxItems>
    uniqueItems: (repeated«: any», value«: any») => { const pair = Array.isArray(value) && repeated(value); return pair && (() => `items ${pair.join(" and ")} are equal`); }, // <uniqueItems>
    contains: (rule«: any», value«: any») => Array.isArray(value) && !value.some((item) => follows(rule, item)) && (() => "no item matches the schema in contains"), // <contains>
    minProperties: (limit«: any», value«: any») => counted(value, limit, "least", (size«: number») => size >= limit), // <minProperties>
    maxProperties: (limit«: any», value«: any») => counted(value, limit, "most", (size«: number») => size <= limit), // <maxProperties>
    required: (name«: any», _«: any», values = "") => () => `missing required property ${JSON.stringify(clip(name))}${values}`,
    dependentRequired: ([name, other]«: any») => () => `missing property ${JSON.stringify(clip(name))}, which ${JSON.stringify(clip(other))} requires`, // <dependent>
    additionalProperties: (name«: any») => () => `unexpected property${shown(" " + JSON.stringify(clip(name)))}`, // <rest>
    anyOf: (text«: string») => () => text, // <unions>
    oneOf: (text«: string») => () => text, // <unions>
    not: (rule«: any», value«: any») => follows(rule, value) && (() => "matches the schema in not"), // <not>
  };
  /** A path is a list from its last name or index to its first, and is written only for violations that are listed. */
  const pointer = (path«: any»)«: string» =>
    path ? `${pointer(path[1])}/${clip(`${path[0]}`).replace(/~/g, "~0").replace(/\//g, "~1")}` : "";
  /** The arrays and objects that `follows` has visited. */
  let visited = 0;
  /** Whether a value has no violation under a rule. It lists nothing, so that the valid parts of a value cost little. */
  const follows = (given«: any», value«: any»)«: boolean» => {
    const type = typeOf(value);
    if (typeof given === "string") return isOf(given, type);
    const rule = follow(given);
    if (rule.type && !isOf(rule.type, type)) return false;
    const isScalar = typeof value !== "object" || !value || (type === "array" && !value.length);
    if (isScalar && !rule.unions && !rule.allOf && !rule.not && !rule.if) return followsKeywords(rule, value);
    let verdict = rule.verdicts?.get(value);
    if (verdict === undefined) {
      const before = ++visited;
      const parts = [rule];
      for (const { allOf = [] } of parts) for (const part of allOf.map(follow)) if (!parts.includes(part)) parts.push(part); // <allOf>
      verdict = parts.every((rule) => (!rule.type || isOf(rule.type, type)) && followsKeywords(rule, value) && (type === "array" ? itemsFollow(rule, value) : type !== "object" || membersFollow(rule, value)));
      // Objects without others in them are checked again as fast as they are found. All else could be reached in exponentially many ways.
      if (isScalar || visited !== before) (rule.verdicts ??= new Map()).set(value, verdict);
    }
    return verdict;
  };
  /** Whether a value follows the keywords of a rule, apart from its type, `allOf`, items and members. */
  const followsKeywords = (rule«: any», value«: any»)«: boolean» => {
    for (const keyword in rule) if (checks[keyword]?.(rule[keyword], value)) return false;
    for (const { keyword, when = [], branches } of rule.unions ?? []) { // <unions>
      const matches = (branch«: any», index«: number») => follows(when[index] ?? {}, value) && follows(branch, value); // <unions>
      if (keyword === "oneOf" ? branches.filter(matches).length !== 1 : !branches.some(matches)) return false; // <unions>
    } // <unions>
    if (rule.if && !follows((follows(rule.if, value) ? rule.then : rule.else) ?? {}, value)) return false; // <if>
    return true;
  };
  const itemsFollow = ({ items }«: any», value«: any»)«: boolean» => {
    if (items?.positions) return value.every((item«: any», index«: number») => follows(items.positions[index] ?? items.further ?? {}, item)); // <positions>
    if (items) for (const item of value) if (!follows(items, item)) return false;
    return true;
  };
  /** Whether the members of an object follow a rule, or `violates` returns `true` for each of those that do not. */
  const membersFollow = ({ properties, optional, rest, names, dependent, patterns = [] }«: any», value«: any», violates«: any» = () => false)«: boolean» => {
    for (const name in properties) {
      const item = member(value, name);
      const rule = properties[name];
      if (item === undefined) {
        if (!violates(name, { required: name, text: rule.text })) return false;
      } else if (!follows(rule, item) && !violates(name, rule)) return false;
    }
    for (const name in optional) {
      const item = member(value, name);
      if (item !== undefined && !follows(optional[name], item) && !violates(name, optional[name])) return false;
    }
    for (const other in dependent) // <dependent>
      for (const name of member(value, other) === undefined ? [] : dependent[other]) // <dependent>
        if (member(value, name) === undefined && !violates(name, { dependentRequired: [name, other] })) return false; // <dependent>
    // Other members are only visited if there are rules for them.
    if (rest !== undefined || names || patterns[0])
      for (const name of Object.keys(value)) {
        const item = value[name];
        if (item === undefined) continue;
        if (names && !follows(names, name) && !violates(name, { ofName: names })) return false; // <names>
        let isMatched = false;
        for (const [pattern, rule] of patterns) // <patterns>
          if (pattern.test(name)) { // <patterns>
            isMatched = true; // <patterns>
            if (!follows(rule, item) && !violates(name, rule)) return false; // <patterns>
          } // <patterns>
        if (isMatched || rest === undefined || (properties && has(properties, name)) || (optional && has(optional, name))) continue;
        const rule = rest || { additionalProperties: name };
        if (!follows(rule, item) && !violates(name, rule)) return false;
      }
    return true;
  };
  /**
   * The number of violations under one rule, and the first 16. They are remembered, because a value may be reached in exponentially
   * many ways.
   */
  const find = (rule«: any», value«: any»)«: any» => {
    const known = (follow(rule).known ??= new Map());
    const list = known.get(value) ?? listOf(16);
    if (!known.has(value)) visit([rule], value, list);
    known.set(value, list);
    return list;
  };
  /** Lists the violations of a value that must follow all of the given rules. All lists but the report are for unions. */
  const visit = (given«: any[]», value«: any», list«: any», path«?: any»)«: void» => {
    const type = typeOf(value);
    const isArray = type === "array";
    const rules = given.map(follow);
    const messages«: any[]» = [];
    // The loop also visits the rules that it adds.
    for (const rule of rules) {
      if (rule.type && !isOf(rule.type, type)) {
        messages.push({ keyword: "type", message: `expected ${[rule.type].flat().join(", ").replace(/, (?=\w+$)/, " or ")}, got ${type === "instance" ? value.constructor?.name || type : type}`, params: params?.("type", rule.type) });
        continue;
      }
      for (const part of (rule.allOf ?? []).map(follow)) if (!rules.includes(part)) rules.push(part); // <allOf>
      for (const part of rule.if ? [follow((follows(rule.if, value) ? rule.then : rule.else) ?? {})] : []) if (!rules.includes(part)) rules.push(part); // <if>
      for (const union of rule.unions ?? []) {
        const next = explain(union, value, type, list === report, { follow, follows, isOf, find, cut, shown, literal });
        if (next && !rules.includes(next)) rules.push(next);
      }
    }
    // Only names are also listed about a value of the wrong type.
    const isWrong = messages[0];
    for (const rule of rules)
      for (const keyword in rule) {
        const message = (!isWrong || keyword === "propertyNames") && checks[keyword]?.(rule[keyword], value, rule.text?.[keyword]);
        if (message) messages.push({ keyword, message: message(), params: params?.(keyword, rule[keyword], redact) });
      }
    const order = messages[1] && Object.keys(checks);
    messages.sort((a, b) => order.indexOf(a.keyword) - order.indexOf(b.keyword) || (a.message < b.message ? -1 : +(a.message > b.message)));
    for (const [index, { keyword, message, params }] of messages.entries()) {
      const next = messages[index + 1];
      // Several rules may have the same message. A missing property has one: with its allowed values, if a rule has them.
      if (next?.keyword !== keyword || (keyword !== "required" && next.message !== message)) addTo(list, () => pointer(path), message, keyword, params);
    }
    if (isWrong || (!isArray && type !== "object")) return;
    const below = (name«: any», item«: any», rules«: any[]») => {
      const place = [name, path];
      const only = follow(rules[0]);
      // Most members are scalars, which need not be remembered.
      const isSimple = typeof item !== "object" && !(item?.length > 64) && !only.unions && !only.allOf && !only.not && !only.if;
      if (rules[1] || isSimple || list === report) return visit(rules, item, list, place);
      const { found, count } = find(only, item);
      for (const inner of found) addTo(list, () => pointer(place) + inner.path, inner.message, inner.keyword, inner.params);
      list.count += count - found.length;
    };
    if (isArray) {
      const ofItems = rules.flatMap(({ items = [] }) => items);
      for (let index = 0; ofItems[0] && index < value.length; index++) {
        const violated = ofItems.filter((rule«: any») => !follows(rule, value[index]));
        for (const { positions, further = {} } of ofItems) if (positions && !follows(positions[index] ?? further, value[index])) violated.push(positions[index] ?? further); // <positions>
        if (violated[0]) below(index, value[index], violated);
        // The paths come in order, so those that follow are left out, too.
        if (list === report && report.truncated) return;
      }
      return;
    }
    /** The rules that members violate. */
    const violated = new Map«<string, any[]>»();
    for (const rule of rules)
      membersFollow(rule, value, (name«: string», rule«: any») => {
        const others = violated.get(name);
        if (others) others.push(rule);
        else violated.set(name, [rule]);
        return true;
      });
    for (const name of [...violated.keys()].sort()) {
      let given = violated.get(name) ?? [];
      given = given.flatMap((rule) => (rule.ofName ? find(rule.ofName, name).found.map(({ message }«: any») => ({ propertyNames: `property name ${message}` })) : rule)); // <names>
      below(name, member(value, name), given);
      if (list === report && report.truncated) return;
    }
  };
  try {
    if (shallow(value, 128)) visit([root], value, report);
    // The members of the value are not visited, because that could overflow the stack.
    else addTo(report, () => "", "nested deeper than 128 levels", "depth");
  } catch (error) {
    // Rules that refer to each other in long chains can do so, too, if the value is nested nearly as deep.
    if (!(error instanceof RangeError)) throw error;
    report = listOf(1);
    addTo(report, () => "", "nested too deeply to list its violations", "depth");
    report.truncated = true;
  }
  return { ok: false, violations: report.found, truncated: report.truncated };
}
