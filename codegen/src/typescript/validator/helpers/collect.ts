/**
 * Every violation, sorted by path, then by keyword. A rule is the name of a definition, types as bits, or keywords;
 * `properties` and `others` are required, and `optional` are not.
 */
function collect([root, definitions]«: any», payload«: any», { redact, limit }«: Options» = {})«: Violation[]» {
  const keywords =
    "type,false,enum,const,minimum,maximum,exclusiveMinimum,exclusiveMaximum,minLength,maxLength,pattern,format,minItems,maxItems,uniqueItems,required,additionalProperties,anyOf,oneOf,not".split(",");
  const types = "null,boolean,integer,number,string,array,object,no JSON".split(",");
  const show = (value«: any», most = 64)«: string» => {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > most + 2 ? `${text.slice(0, most)}...` : text;
  };
  const follow = (rule«: any»)«: any» => (typeof rule === "string" ? follow(definitions[rule]) : rule);
  const pointer = (path«: any[]»)«: string» =>
    path.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const member = (members«: any», name«: string») => (Object.hasOwn(members, name) ? members[name] : undefined);
  const order = ([a, x, m]«: any», [b, y, n]«: any»)«: number» => {
    const at = a.findIndex((token«: any», at«: number») => token !== b[at]);
    if (at >= 0 && at < b.length) return a[at] < b[at] ? -1 : 1;
    return a.length - b.length || x - y || (m < n ? -1 : +(m > n));
  };
  /** After a mismatch of type, nothing more is said about a value or what is in it. */
  const find = (rule«: any», value«: any»)«: any[]» => {
    const found«: any[]» = [];
    let last«: any»;
    let mistyped«: any»;
    visit(rule, value, [], found);
    return found.sort(order).filter((finding) => {
      const [path, keyword] = finding;
      const isNew = !last || order(last, finding);
      last = finding;
      const isWithin = mistyped?.every((token«: any», at«: number») => token === path[at]);
      if (!isWithin && !keyword) mistyped = path;
      return isNew && (!isWithin || (!keyword && path.length === mistyped.length));
    });
  };
  const visit = (name«: any», value«: any», path«: any[]», found«: any[]»)«: void» => {
    const rule = follow(name);
    const report = (keyword«: number», message«: string», below«: any[]» = [], more = "") => {
      found.push([[...path, ...below], keyword, message + more, message]);
    };
    // <shared>
    if (rule.shared) {
      const findings = rule.shared.get(value) ?? find({ ...rule, shared: 0 }, value);
      rule.shared.set(value, findings);
      for (const [below, keyword, message] of findings) report(keyword, message, below);
      return;
    }
    // </>
    if (rule === 0) return report(1, "no value is allowed here");
    const isText = typeof value === "string";
    const isList = Array.isArray(value);
    const isRecord = isDict(value);
    const type =
      value === null ? 0
      : typeof value === "boolean" ? 1
      : Number.isInteger(value) ? 2
      : Number.isFinite(value) ? 3
      : isText ? 4
      : isList ? 5
      : isRecord ? 6
      : 7;
    const mask = rule.type ?? +rule;
    if (mask > 0 && mask < 127 && !((mask | ((mask & 8) >> 1)) & (1 << type))) {
      return report(0, `expected ${types.filter((_, at) => mask & (1 << at)).join(" or ")}, got ${types[type]}`);
    }
    const size = isText ? codePoints(value) : isList ? value.length : value;
    keywords.forEach((keyword, at) => {
      const bound = rule[keyword];
      if (bound === undefined || ![at > 1, typeof value === "number", isText, isList][at >> 2]) return;
      // <uniqueItems>
      if (at > 13) {
        const pair = repeated(value);
        if (pair) report(at, `items ${pair.join(" and ")} are equal`);
        return;
      }
      // </>
      if (at < 4) {
        const literals = at < 3 ? bound : [bound];
        if (literals.includes(value)) return;
        // <structured>
        if (among(value, literals)) return;
        // </>
        report(at, `value ${at < 3 ? "not in enum" : "is not"} ${show(bound, 256)}`);
      } else if (
        !(at === 6 ? value > bound
          : at === 7 ? value < bound
          : at === 10 ? bound.test(value)
          : at === 11 ? bound[1](value)
          : at & 1 ? size <= bound
          : size >= bound)
      ) report(at, `${keyword} is ${at === 11 ? bound[0] : bound}${redact ? "" : `, got ${show(isList ? size : value)}`}`);
    });
    const { others = [], properties = {}, optional = {}, additionalProperties = 127, items, allOf = [] } = rule;
    if (isList && items !== undefined) for (const [at, item] of value.entries()) visit(items, item, [...path, at], found);
    if (isRecord) {
      for (const name of [...Object.keys(properties), ...others]) {
        if (member(value, name) === undefined) report(15, `missing required property ${show(name)}`, [name]);
      }
      for (const name of Object.keys(value)) {
        const declared = member(properties, name) ?? member(optional, name);
        if (value[name] === undefined) continue;
        if (declared !== undefined || follow(additionalProperties)) {
          visit(declared ?? additionalProperties, value[name], [...path, name], found);
        } else report(16, `unexpected property${redact ? "" : ` ${show(name)}`}`, [name]);
      }
    }
    // <anyOf|oneOf>
    for (const at of [17, 18]) {
      const branches = rule[keywords[at]« as string»] ?? [];
      const candidates = branches.map((branch«: any») => find(branch, value));
      const matching = candidates.filter((findings«: any[]») => !findings[0]).length;
      if (branches[0] !== undefined && !matching) {
        const distances = candidates.map((findings«: any[]») =>
          findings.reduce(
            (sum, [{ length }, keyword]) => sum + (length < 1 && !keyword ? 1e9 : length < 2 && keyword === 3 ? 1e6 : 1),
            0,
          ),
        );
        const index = distances.indexOf(Math.min(...distances));
        const [[path, , , message]] = candidates[index];
        const { properties, optional } = follow(branches[index]);
        const tag = Object.entries({ ...properties, ...optional }).find((entry) => follow(entry[1]).const !== undefined);
        const name = typeof branches[index] === "string" ? branches[index] : tag && `${tag[0]} ${show(follow(tag[1]).const)}`;
        const more = candidates[index].length - 1;
        report(
          at,
          `matches no branch of ${keywords[at]}`,
          [],
          `; closest is branch ${index}${name ? ` (${name})` : ""}: ${message}${redact || !path[0] ? "" : ` at ${pointer(path)}`}${more ? ` (and ${more} more)` : ""}`,
        );
      }
      if (matching > 1 && at > 17) report(at, `matches ${matching} branches of oneOf`);
    }
    // </>
    // <not>
    if (rule.not !== undefined && !find(rule.not, value)[0]) report(19, "matches the schema in not");
    // </>
    for (const part of allOf) visit(part, value, path, found);
  };
  if (!shallow(payload, 128)) return [{ path: "", message: "nested deeper than 128 levels", keyword: "depth" }];
  return find(root, payload)
    .slice(0, limit)
    .map(([path, keyword, message]) => ({ path: pointer(path), message, keyword: keywords[keyword]« as string» }));
}
