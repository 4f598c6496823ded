/**
 * The value, or every violation, sorted by path, then by keyword. A rule is the name of a definition, types as bits, 128
 * and the number of a keyword that nothing fulfils, or keywords: `properties` are required, `optional` are not, and
 * `rest` is for what is not declared.
 */
function parse(isValid«: boolean», value«: any», { redact, limit }«: Options» = {}, schema«: () => any»)«: any» {
  if (isValid) return { ok: true, value };
  const [root, definitions] = schema();
  const keywords =
    "type,false,enum,const,minimum,maximum,exclusiveMinimum,exclusiveMaximum,minLength,maxLength,pattern,format,minItems,maxItems,uniqueItems,required,additionalProperties,anyOf,oneOf,not".split(",");
  const types = "null,boolean,integer,number,string,array,object,no JSON".split(",");
  const show = (value«: any», most = 64)«: string» => {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > most + 2 ? `${text.slice(0, most)}...` : text;
  };
  const plain«: any[]» = [];
  const follow = (rule«: any»)«: any» =>
    typeof rule === "string" ? follow(definitions[rule]) : rule > 0 ? (plain[rule] ??= { type: rule }) : rule;
  const member = (members«: any» = {}, name«: any») => (Object.hasOwn(members, name) ? members[name] : undefined);
  const find = (rule«: any», value«: any»)«: any[]» => {
    const found«: any[]» = [];
    // <shared>
    const known = (follow(rule).known ??= new Map());
    if (known.has(value)) return known.get(value);
    known.set(value, found);
    // </>
    visit([rule], value, "", found);
    return found;
  };
  /** After a mismatch of type, nothing more is said about a value or what is in it. */
  const visit = (given«: any[]», value«: any», path«: string», found«: any[]», name«?: any»)«: void» => {
    const rules = new Set(given.map(follow));
    const told = new Set();
    const report = (keyword«: any», message«: string») =>
      told.size < told.add(message).size && found.push({ path, message, keyword });
    const type = [
      value === null,
      typeof value === "boolean",
      Number.isInteger(value),
      Number.isFinite(value),
      typeof value === "string",
      Array.isArray(value),
      isDict(value),
      true,
    ].indexOf(true);
    /** What is wrong with the type of the value. */
    const mismatch = (mask«: any») =>
      mask < 127 &&
      !(mask & (type === 2 ? 12 : 1 << type)) &&
      `expected ${types.filter((_, at) => mask & (1 << at)).join(" or ")}, got ${types[type]}`;
    for (const { type: mask, allOf = [] } of rules) {
      const message = mismatch(mask);
      if (message) report("type", message);
      else for (const part of allOf) rules.add(follow(part));
    }
    if (told.size) return;
    const size = type === 4 ? codePoints(value) : type === 5 ? value.length : value;
    keywords.forEach((keyword, at) => {
      for (const rule of rules) {
        const bound = rule.type === at + 128 ? at : rule[keyword];
        if (!at || bound === undefined || (at > 3 && at < 15 && at >> 2 !== [0, 0, 1, 1, 2, 3][type])) continue;
        if (at < 2) report(keyword, "no value is allowed here");
        else if (at < 4) {
          const literals = at < 3 ? bound : [bound];
          if (
            !literals.includes(value)
            // <structured>
            && !among(value, literals)
            // </>
          ) report(keyword, `value ${at < 3 ? "not in enum" : "is not"} ${show(bound, 256)}`);
        } else if (at < 14) {
          if (
            !(at === 6 ? value > bound
              : at === 7 ? value < bound
              : at === 10 ? bound.test(value)
              : at === 11 ? bound[1](value)
              : at & 1 ? size <= bound
              : size >= bound)
          ) report(keyword, `${keyword} is ${at === 11 ? bound[0] : bound}${redact ? "" : `, got ${show(type === 5 ? size : value)}`}`);
        // <uniqueItems>
        } else if (at < 15) {
          const pair = repeated(value);
          if (pair) report(keyword, `items ${pair.join(" and ")} are equal`);
        // </>
        } else if (at < 17) {
          const shown = ` ${show(name)}`;
          report(keyword, at < 16 ? `missing required property${shown}` : `unexpected property${redact ? "" : shown}`);
        }
        // <anyOf|oneOf>
        else if (at < 19) {
          /** A mismatch of type weighs most, then one of a tag. */
          const distance = ([findings]«: any») =>
            findings.reduce(
              (sum«: number», { path, keyword }«: any») =>
                sum + (path + keyword === "type" ? 1e9 : path.lastIndexOf("/") < 1 && keyword === "const" ? 1e6 : 1),
              0,
            );
          const candidates«: any[]» = bound.map((branch«: any», index«: number») => [find(branch, value), branch, index]);
          const matching = candidates.filter(([findings]) => !findings[0]).length;
          const [[[first, ...more], branch, index]] = candidates.sort((a, b) => distance(a) - distance(b))« as any»;
          const message = mismatch(bound.reduce((all«: any», branch«: any») => all | (follow(branch).type ?? 127), 0));
          if (message) report(keyword, `matches no branch of ${keyword}: ${message}`);
          else if (first) {
            const tag = Object.entries(follow(branch).properties ?? {}).find((entry) => follow(entry[1]).const !== undefined);
            const label = typeof branch === "string" ? branch : tag && `${tag[0]} ${show(follow(tag[1]).const)}`;
            const place = redact ? "" : first.path;
            report(
              keyword,
              `matches no branch of ${keyword}; closest is branch ${index}${label ? ` (${label})` : ""}: ${first.message.split("; closest")[0]}${place && ` at ${place}`}${more[0] ? ` (and ${more.length} more)` : ""}`,
            );
          } else if (matching > 1 && at > 17) report(keyword, `matches ${matching} branches of oneOf`);
        }
        // </>
        // <not>
        else if (!find(bound, value)[0]) report(keyword, "matches the schema in not");
        // </>
      }
    });
    if (type < 5 || type > 6) return;
    const names = [...rules].flatMap(({ properties = {} }) => Object.keys(properties)).concat(Object.keys(value));
    for (const name of type > 5 ? [...new Set(names)].sort() : value.keys()) {
      const item = member(value, name);
      const below = [...rules].map(({ properties, optional, rest = 127, items = 127 }) => {
        const required = member(properties, name);
        if (type < 6) return items;
        return item === undefined ? (required ? 143 : 127) : required ?? member(optional, name) ?? rest;
      });
      visit(below, item, `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`, found, name);
    }
  };
  const violations = shallow(value, 128)
    ? find(root, value).slice(0, limit)
    : [{ path: "", message: "nested deeper than 128 levels", keyword: "depth" }];
  return { ok: false, violations };
}
