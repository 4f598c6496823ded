/**
 * Every violation, sorted by path, then by keyword. A rule is the name of a definition, types as bits, or keywords;
 * `properties` are required, and `optional` are the others.
 */
function collect([root, definitions]«: any», payload«: any», { redact, limit }«: Options» = {})«: Violation[]» {
  const keywords =
    "type,false,enum,const,minimum,maximum,exclusiveMinimum,exclusiveMaximum,minLength,maxLength,pattern,format,minItems,maxItems,uniqueItems,required,additionalProperties,anyOf,oneOf,not".split(",");
  const relations =
    "be at least,be at most,be greater than,be less than,have at least,have at most,match the pattern,be a valid,have at least,have at most".split(",");
  const types = "null,boolean,integer,number,string,array,object".split(",");
  let found«: any[]» = [];
  let explains = false;
  // <shared>
  const known = [new Map«<any, any>»(), new Map«<any, any>»()]« as const»;
  // </>
  const show = (value«: any»)«: string» => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
    const shown = text.slice(0, 64);
    return (text === value ? JSON.stringify(shown) : shown) + (text === shown ? "" : "...");
  };
  const follow = (rule«: any»)«: any» => (typeof rule === "string" ? follow(definitions[rule]) : rule);
  const member = (members«: any», name«: string») => (Object.hasOwn(members, name) ? members[name] : undefined);
  const pointer = (path«: any[]»)«: string» =>
    path.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  const mistyped = (mask«: number», value«: any»)«: string» => {
    const type =
      value === null ? 0
      : Array.isArray(value) ? 5
      : isDict(value) ? 6
      : Number.isInteger(value) ? 2
      : Number.isFinite(value) ? 3
      : typeof value === "object" || typeof value === "number" ? -1
      : types.indexOf(typeof value);
    const isAllowed = (at«: number») => (mask >> at) & 1 && (at !== 2 || !(mask & 8));
    return type >= 0 && (mask >> type) & 1
      ? ""
      : `expected ${types.filter((_, at) => isAllowed(at)).join(", ").replace(/, (\w+)$/, " or $1")}, got ${types[type] ?? typeof value}`;
  };
  const order = ([a, x, m]«: any», [b, y, n]«: any»)«: number» => {
    const at = a.findIndex((token«: any», at«: number») => token !== b[at]);
    if (at >= 0 && at < b.length) return a[at] < b[at] ? -1 : 1;
    return a.length - b.length || x - y || (m < n ? -1 : m > n ? 1 : 0);
  };
  /** After a mismatch of type, nothing more is said about a value or what is in it. */
  const find = (rule«: any», value«: any», explain = false)«: any[]» => {
    const [outer, explained] = [found, explains];
    found = [];
    explains = explain;
    visit(rule, value, []);
    let last«: any»;
    let mistyped«: any»;
    const inner = found.sort(order).filter((finding) => {
      const [path, keyword] = finding;
      const isNew = !last || order(last, finding) !== 0;
      last = finding;
      const isWithin = mistyped?.every((token«: any», at«: number») => token === path[at]);
      if (!isWithin && !keyword) mistyped = path;
      return isNew && (!isWithin || (!keyword && path.length === mistyped.length));
    });
    found = outer;
    explains = explained;
    return inner;
  };
  // <anyOf|oneOf>
  const closest = (branches«: any[]», candidates«: any[]», value«: any»)«: string» => {
    const mask = branches.reduce((mask, branch) => mask | ((follow(branch).type ?? +follow(branch)) || 127), 0);
    if (!explains) return "";
    if (mistyped(mask, value)) return `: ${mistyped(mask, value)}`;
    const distance = (sum«: number», [{ length }, keyword]«: any») =>
      sum + (length < 1 && !keyword ? 1e9 : length < 2 && keyword === 3 ? 1e6 : 1);
    const distances = candidates.map((findings) => findings.reduce(distance, 0));
    const index = distances.indexOf(Math.min(...distances));
    const [[path, keyword, message], ...more] = candidates[index];
    const name = typeof branches[index] === "string" ? ` (${show(branches[index])})` : "";
    const place = redact ? "" : pointer(keyword === 15 || keyword === 16 ? path.slice(0, -1) : path);
    return `; closest is branch ${index}${name}: ${message}${place && ` at ${place}`}${more[0] ? ` (and ${more.length} more)` : ""}`;
  };
  // </>
  const visit = (name«: any», value«: any», path«: any[]»)«: void» => {
    const rule = follow(name);
    const report = (keyword«: number», message«: string», ...below«: any[]») => {
      found.push([[...path, ...below], keyword, message]);
    };
    // <shared>
    if (rule.shared) {
      const memory = known[explains ? 1 : 0].get(rule) ?? new Map();
      known[explains ? 1 : 0].set(rule, memory);
      const findings = memory.get(value) ?? find({ ...rule, shared: false }, value, explains);
      memory.set(value, findings);
      for (const [below, keyword, message] of findings) report(keyword, message, ...below);
      return;
    }
    // </>
    if (rule === 0) return report(1, "no value is allowed here");
    const wrong = mistyped(rule.type ?? (rule > 0 ? rule : 127), value);
    if (wrong && (rule.type || rule > 0 && rule < 127)) return report(0, wrong);
    const isText = typeof value === "string";
    const isList = Array.isArray(value);
    const size = isText ? codePoints(value) : isList ? value.length : value;
    const least = (bound«: number») => size >= bound;
    const most = (bound«: number») => size <= bound;
    const checks«: any[]» = [
      0,
      0,
      (literals«: any[]») => literals.includes(value)
        // <structured>
        || among(value, literals)
        // </>
        || `value not in enum [${literals.slice(0, 16).map(show)}${literals[16] === undefined ? "" : ",..."}]`,
      (literal«: any») => literal === value
        // <structured>
        || among(value, [literal])
        // </>
        || `value is not ${show(literal)}`,
      least,
      most,
      (bound«: number») => value > bound,
      (bound«: number») => value < bound,
      least,
      most,
      (pattern«: RegExp») => pattern.test(value),
      ([, accepts]«: any») => accepts(value),
      least,
      most,
      // <uniqueItems>
      () => {
        const pair = repeated(value);
        return !pair || `items ${pair.join(" and ")} are equal`;
      },
      // </>
    ];
    keywords.forEach((keyword, at) => {
      const bound = rule[keyword];
      const isAsked = at < 4 || (at < 8 ? typeof value === "number" : at < 12 ? isText : isList);
      const verdict = bound === undefined || !isAsked || !checks[at] || checks[at](bound);
      if (verdict === true) return;
      const shown = at === 10 ? show(bound.source) : at === 11 ? bound[0] : bound;
      const noun = at < 8 || at === 10 || at === 11 ? "" : (isText ? " character" : " item") + (bound === 1 ? "" : "s");
      report(at, verdict || `must ${relations[at - 4]} ${shown}${noun}${redact ? "" : `, got ${at > 11 ? size : show(value)}`}`);
    });
    const { required = [], properties = {}, optional = {}, additionalProperties = 127, items, allOf = [] } = rule;
    if (isList && items !== undefined) for (const [at, item] of value.entries()) visit(items, item, [...path, at]);
    if (isDict(value)) {
      for (const name of [...Object.keys(properties), ...required]) {
        if (member(value, name) === undefined) report(15, `missing required property ${show(name)}`, name);
      }
      for (const name of Object.keys(value)) {
        const declared = member(properties, name) ?? member(optional, name);
        if (value[name] === undefined) continue;
        if (declared !== undefined || follow(additionalProperties)) {
          visit(declared ?? additionalProperties, value[name], [...path, name]);
        } else report(16, `unexpected property${redact ? "" : ` ${show(name)}`}`, name);
      }
    }
    // <anyOf|oneOf>
    for (const at of [17, 18]) {
      const branches = rule[keywords[at]« as string»];
      const candidates = branches?.map((branch«: any») => find(branch, value));
      const matching = candidates?.filter((findings«: any[]») => !findings.length).length;
      const plain = `matches no branch of ${keywords[at]}`;
      if (matching === 0) report(at, plain + closest(branches, candidates, value));
      if (matching > 1 && at > 17) report(at, `matches ${matching} branches of oneOf`);
    }
    // </>
    // <not>
    if (rule.not !== undefined && !find(rule.not, value).length) report(19, "matches the schema in not");
    // </>
    for (const part of allOf) visit(part, value, path);
  };
  if (!shallow(payload, 128)) return [{ path: "", message: "nested deeper than 128 levels", keyword: "depth" }];
  return find(root, payload, true)
    .slice(0, limit)
    .map(([path, keyword, message]) => ({ path: pointer(path), message, keyword: keywords[keyword]« as string» }));
}
