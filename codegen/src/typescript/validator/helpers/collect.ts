/** One way in which a payload breaks its schema, as `Violation`, not yet in words. */
interface Finding {
  readonly path: Path;
  readonly keyword: string;
  readonly say: () => string;
}

type Path = readonly (string | number)[];

/** A schema: its keywords, `additionalProperties` as `additional`, `$ref` by the definition's name. */
type Rule = boolean | Checks;

interface Checks {
  readonly ref?: string;
  readonly type?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: Limit;
  readonly maximum?: Limit;
  readonly exclusiveMinimum?: Limit;
  readonly exclusiveMaximum?: Limit;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
  readonly source?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unique?: boolean;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: Rule };
  readonly additional?: Rule;
  readonly items?: Rule;
  readonly allOf?: readonly Rule[];
  readonly anyOf?: readonly Rule[];
  readonly oneOf?: readonly Rule[];
  readonly not?: Rule;
}

/** A bound that no `number` equals has the nearest one, whether that is within it, and its digits. */
type Limit = number | { readonly nearest: number; readonly isWithin: boolean; readonly digits: string };

/** Verdicts are remembered for the definitions that one place can reach twice. */
interface Contract {
  readonly root: Rule;
  readonly definitions?: { readonly [name: string]: Rule };
  readonly shared?: readonly string[];
}

interface Scope {
  readonly definitions: { readonly [name: string]: Rule };
  readonly names: Map<Rule, string>;
  readonly verdicts: Map<Rule, Map<Json, boolean>>;
  explains: boolean;
}

const keywords«: readonly string[]» = [
  "type",
  "false",
  "enum",
  "const",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "required",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "not",
];

/** Every violation, sorted by path, then by keyword. */
function collect(contract«: Contract», payload«: Json»)«: Violation[]» {
  if (!shallow(payload, 128)) {
    return [{ path: "", message: "nested deeper than 128 levels", keyword: "depth" }];
  }
  const { root, definitions = {}, shared = [] } = contract;
  const scope«: Scope» = { definitions, names: new Map(), verdicts: new Map(), explains: true };
  for (const name of Object.keys(definitions)) {
    const rule = definitions[name];
    if (typeof rule === "object") scope.names.set(rule, name);
  }
  for (const name of shared) scope.verdicts.set(definitions[name] ?? true, new Map());
  const violations = find(scope, root, payload).map(({ path, keyword, say }) => ({
    path: pointer(path),
    message: say(),
    keyword,
  }));
  const isSame = (a«: Violation», b«: Violation») => a.path === b.path && a.keyword === b.keyword;
  const sorted«: Violation[]» = [];
  for (let from = 0, to = 0; from < violations.length; from = to) {
    const first = violations[from]« as Violation»;
    const run = [first];
    for (to = from + 1; to < violations.length && isSame(first, violations[to]« as Violation»); to++) {
      run.push(violations[to]« as Violation»);
    }
    run.sort((a, b) => (a.message < b.message ? -1 : 1));
    for (const [at, violation] of run.entries()) {
      if (violation.message !== run[at - 1]?.message) sorted.push(violation);
    }
  }
  return sorted;
}

/** What is wrong with a value, in order. */
function find(scope«: Scope», root«: Rule», payload«: Json»)«: Finding[]» {
  const found«: Finding[]» = [];
  const seen = new Map«<Rule, Set<unknown>>»();
  const open«: [Rule, Json, Path][]» = [[root, payload, []]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [rule, value, path] = next;
    const target = follow(scope, rule);
    if (scope.verdicts.has(target)) {
      const places = seen.get(target) ?? new Set();
      const place = typeof value === "object" && value !== null ? value : pointer(path);
      if (places.has(place)) continue;
      seen.set(target, places.add(place));
    }
    visit(scope, target, value, path, found, open);
  }
  found.sort(inOrder);
  let mistyped«: Path | undefined»;
  // After a mismatch of type, nothing more is said about a value or what is in it.
  return found.filter(({ path, keyword }) => {
    const isType = keyword === "type";
    if (mistyped !== undefined && mistyped.every((token, at) => token === path[at])) {
      return isType && path.length === mistyped.length;
    }
    if (isType) mistyped = path;
    return true;
  });
}

function visit(
  scope«: Scope»,
  rule«: Rule»,
  value«: Json»,
  path«: Path»,
  found«: Finding[]»,
  open«: [Rule, Json, Path][]»,
)«: void» {
  if (rule === true) return;
  if (rule === false) {
    found.push({ path, keyword: "false", say: () => "no value is allowed here" });
    return;
  }
  const report = (keyword«: string», say«: () => string», name«?: string») => {
    found.push({ path: name === undefined ? path : [...path, name], keyword, say });
  };
  if (!check(rule, value, report)) return;
  for (const part of rule.allOf ?? []) open.push([part, value, path]);
  for (const [below, member, token, isDeclared] of children(rule, value)) {
    if (!isDeclared && follow(scope, below) === false) {
      report("additionalProperties", () => `unexpected property ${quote(String(token))}`, String(token));
    } else {
      open.push([below, member, [...path, token]]);
    }
  }
  // <anyOf>
  const { anyOf } = rule;
  if (anyOf !== undefined && !anyOf.some((branch) => fits(scope, branch, value))) {
    const message = noBranch(scope, "anyOf", anyOf, value);
    report("anyOf", () => message);
  }
  // </>
  // <oneOf>
  const { oneOf } = rule;
  if (oneOf !== undefined) {
    const matching = [...oneOf.keys()].filter((at) => fits(scope, oneOf[at] ?? true, value));
    if (matching.length === 0) {
      const message = noBranch(scope, "oneOf", oneOf, value);
      report("oneOf", () => message);
    } else if (matching.length > 1) {
      const listed = matching.slice(0, 8).join(", ") + (matching.length > 8 ? ", ..." : "");
      report("oneOf", () => `matches more than one branch of oneOf: ${listed}`);
    }
  }
  // </>
  // <not>
  if (rule.not !== undefined && fits(scope, rule.not, value)) report("not", () => "matches the schema in not");
  // </>
}

/** Reports what a value alone does not fulfil; false after a mismatch of type. */
function check(
  rule«: Checks»,
  value«: Json»,
  report«: (keyword: string, say: () => string, name?: string) => void»,
)«: boolean» {
  const type = typeOf(value);
  if (rule.type !== undefined && !allows(rule.type, type)) {
    report("type", () => `expected ${either(rule.type ?? [])}, got ${type}`);
    return false;
  }
  // <minimum|maximum|exclusiveMinimum|exclusiveMaximum|minLength|maxLength|pattern|format>
  const got = () => `, got ${typeof value === "string" ? quote(value) : cut(canonical(value))}`;
  // </>
  // <enum>
  if (rule.enum !== undefined && !rule.enum.includes(value) && !anyEqual(value, rule.enum)) {
    report("enum", () => `value not in enum ${list(rule.enum ?? [])}`);
  }
  // </>
  // <const>
  if (rule.const !== undefined && !equal(value, rule.const)) {
    report("const", () => `value is not ${show(rule.const)}`);
  }
  // </>
  // <minimum|maximum|exclusiveMinimum|exclusiveMaximum>
  if (typeof value === "number") {
    const bound = (
      keyword«: string»,
      relation«: string»,
      limit«: Limit | undefined»,
      sign«: number»,
      strict«: boolean»,
    ) => {
      if (limit === undefined) return;
      const { nearest, isWithin, digits } =
        typeof limit === "number" ? { nearest: limit, isWithin: !strict, digits: decimal(limit) } : limit;
      if ((value - nearest) * sign > 0 || (value === nearest && isWithin)) return;
      report(keyword, () => `must be ${relation} ${cut(digits)}${got()}`);
    };
    bound("minimum", "at least", rule.minimum, 1, false);
    bound("maximum", "at most", rule.maximum, -1, false);
    bound("exclusiveMinimum", "greater than", rule.exclusiveMinimum, 1, true);
    bound("exclusiveMaximum", "less than", rule.exclusiveMaximum, -1, true);
  }
  // </>
  // <minLength|maxLength|pattern|format>
  if (typeof value === "string") {
    // <minLength|maxLength>
    const { minLength, maxLength } = rule;
    const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
    if (minLength !== undefined && length < minLength) {
      report("minLength", () => `must have at least ${count(minLength, "character")}${got()}`);
    }
    if (maxLength !== undefined && length > maxLength) {
      report("maxLength", () => `must have at most ${count(maxLength, "character")}${got()}`);
    }
    // </>
    // <pattern>
    const { pattern } = rule;
    if (pattern !== undefined && !pattern.test(value)) {
      report("pattern", () => `must match the pattern ${quote(rule.source ?? pattern.source)}${got()}`);
    }
    // </>
    // <format>
    const { format } = rule;
    if (format !== undefined && formats[format]?.(value) === false) {
      report("format", () => `must be a valid ${format}${got()}`);
    }
    // </>
  }
  // </>
  // <minItems|maxItems|uniqueItems>
  if (Array.isArray(value)) {
    // <minItems|maxItems>
    const { minItems, maxItems } = rule;
    const size = value.length;
    if (minItems !== undefined && size < minItems) {
      report("minItems", () => `must have at least ${count(minItems, "item")}, got ${size}`);
    }
    if (maxItems !== undefined && size > maxItems) {
      report("maxItems", () => `must have at most ${count(maxItems, "item")}, got ${size}`);
    }
    // </>
    // <uniqueItems>
    const pair = rule.unique === true ? repeated(value) : undefined;
    if (pair !== undefined) report("uniqueItems", () => `items ${pair[0]} and ${pair[1]} are equal`);
    // </>
  }
  // </>
  // <required>
  if (isDict(value)) {
    for (const name of rule.required ?? []) {
      if (own(value, name) === undefined) {
        report("required", () => `missing required property ${quote(name)}`, name);
      }
    }
  }
  // </>
  return true;
}

/** What applies to the items or members of a value: the rule, the item, where it is, whether it is declared. */
function children(rule«: Checks», value«: Json»)«: [Rule, Json, string | number, boolean][]» {
  const { items, properties = {}, additional } = rule;
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.map((item, index) => [items, item, index, true]);
  }
  if (!isDict(value)) return [];
  return members(value).flatMap((name) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const below = declared ?? additional;
    return below === undefined ? [] : [[below, value[name], name, declared !== undefined]];
  });
}

function follow(scope«: Scope», rule«: Rule»)«: Rule» {
  let target = rule;
  while (typeof target === "object" && target.ref !== undefined) target = scope.definitions[target.ref] ?? true;
  return target;
}

// <anyOf|oneOf|not>
function fits(scope«: Scope», rule«: Rule», value«: Json»)«: boolean» {
  const target = follow(scope, rule);
  if (typeof target === "boolean") return target;
  const known = scope.verdicts.get(target);
  const verdict = known?.get(value) ?? decide(scope, target, value);
  known?.set(value, verdict);
  return verdict;
}

function decide(scope«: Scope», rule«: Checks», value«: Json»)«: boolean» {
  let isFine = true;
  check(rule, value, () => {
    isFine = false;
  });
  const { allOf = [], anyOf, oneOf, not } = rule;
  return (
    isFine &&
    allOf.every((part) => fits(scope, part, value)) &&
    children(rule, value).every(([below, member]) => fits(scope, below, member)) &&
    (anyOf === undefined || anyOf.some((branch) => fits(scope, branch, value))) &&
    (oneOf === undefined || oneOf.filter((branch) => fits(scope, branch, value)).length === 1) &&
    (not === undefined || !fits(scope, not, value))
  );
}

// </>
// <anyOf|oneOf>
/** What to say of a union that no branch of fits: which comes closest, and what it lacks. */
function noBranch(scope«: Scope», keyword«: string», branches«: readonly Rule[]», value«: Json»)«: string» {
  const plain = `matches no branch of ${keyword}`;
  if (!scope.explains) return plain;
  const targets = branches.map((branch) => follow(scope, branch));
  const types = targets.flatMap((target) => (typeof target === "object" && target.type) || ["any"]);
  if (!types.includes("any") && !allows(types, typeOf(value))) {
    return `${plain}: expected ${either(types)}, got ${typeOf(value)}`;
  }
  scope.explains = false;
  const candidates = targets.map((target, index) => {
    const findings = find(scope, target, value);
    const isMistyped = findings.some(({ path, keyword }) => path.length === 0 && keyword === "type");
    const found = tags(scope, target).filter(([name]) => isDict(value) && own(value, name) !== undefined);
    const isSame = found.every(([name, literal]) => isDict(value) && equal(own(value, name), literal));
    const tag = found.length === 0 ? 1 : isSame ? 0 : 2;
    return { target, index, findings, distance: [Number(isMistyped), tag, findings.length] };
  });
  scope.explains = true;
  candidates.sort((a, b) => {
    const at = a.distance.findIndex((part, at) => part !== b.distance[at]);
    return at < 0 ? 0 : (a.distance[at] ?? 0) - (b.distance[at] ?? 0);
  });
  const [closest] = candidates;
  if (closest === undefined) return plain;
  const { target, index, findings } = closest;
  const name = scope.names.get(target);
  const [tag] = tags(scope, target);
  const label = name !== undefined ? ` (${quote(name)})` : tag ? ` (${quote(tag[0])} ${show(tag[1])})` : "";
  return `${plain}; closest is branch ${index}${label}: ${lack(findings)}`;
}

function lack([first, ...others]«: readonly Finding[]»)«: string» {
  if (first === undefined) return "";
  const namesItsPlace = first.keyword === "required" || first.keyword === "additionalProperties";
  const path = pointer(namesItsPlace ? first.path.slice(0, -1) : first.path);
  const place = path === "" ? "" : ` at ${cut(path)}`;
  return `${first.say()}${place}${others.length === 0 ? "" : ` (and ${others.length} more)`}`;
}

/** The properties that a branch, or a member of its `allOf`, has a constant for. */
function tags(scope«: Scope», target«: Rule»)«: [string, unknown][]» {
  if (typeof target === "boolean") return [];
  const parts = [target, ...(target.allOf ?? []).map((part) => follow(scope, part))];
  return parts.flatMap((part) => {
    const properties = (typeof part === "object" && part.properties) || {};
    return Object.keys(properties).sort().flatMap((name)«: [string, unknown][]» => {
      const rule = follow(scope, properties[name] ?? true);
      if (typeof rule === "boolean") return [];
      const literal = rule.const === undefined && rule.enum?.length === 1 ? rule.enum[0] : rule.const;
      return literal === undefined ? [] : [[name, literal]];
    });
  });
}

// </>
function typeOf(value«: Json»)«: string» {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && Number.isFinite(value)) return Number.isInteger(value) ? "integer" : "number";
  if (typeof value === "number") return String(value);
  return typeof value !== "object" || plain(value) ? typeof value : "instance of a class";
}

function isDict(value«: Json»)«: value is Dict» {
  return typeOf(value) === "object";
}

function allows(types«: readonly string[]», type«: string»)«: boolean» {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** The names of types in words. */
function either(types«: readonly string[]»)«: string» {
  const all = ["null", "boolean", "integer", "number", "string", "array", "object"];
  const names = all.filter((type) => types.includes(type) && !(type === "integer" && types.includes("number")));
  const last = names.pop() ?? "nothing";
  return names.length === 0 ? last : `${names.join(", ")} or ${last}`;
}

function inOrder(a«: Finding», b«: Finding»)«: number» {
  const shared = Math.min(a.path.length, b.path.length);
  for (let at = 0; at < shared; at++) {
    const [left = "", right = ""] = [a.path[at], b.path[at]];
    if (left === right) continue;
    if (typeof left === typeof right) return left < right ? -1 : 1;
    return typeof left === "number" ? -1 : 1;
  }
  return a.path.length - b.path.length || keywords.indexOf(a.keyword) - keywords.indexOf(b.keyword);
}

/** RFC 6901. */
function pointer(path«: Path»)«: string» {
  return path.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

// <minLength|maxLength|minItems|maxItems>
function count(size«: number», noun«: string»)«: string» {
  return `${decimal(size)} ${noun}${size === 1 ? "" : "s"}`;
}

// </>
/** At most 64 characters of a text. */
function cut(text«: string»)«: string» {
  const characters = Array.from(text.slice(0, 130));
  return characters.length > 64 ? `${characters.slice(0, 64).join("")}...` : text;
}

function quote(text«: string»)«: string» {
  const shown = cut(text);
  return shown === text ? JSON.stringify(text) : `${JSON.stringify(shown.slice(0, -3))}...`;
}

// <enum|const|anyOf|oneOf>
/** A value of the contract as JSON. */
function show(literal«: unknown»)«: string» {
  return typeof literal === "string" ? quote(literal) : cut(canonical(literal));
}

// </>
// <enum>
function list(literals«: readonly unknown[]»)«: string» {
  return `[${literals.slice(0, 16).map(show).join(",")}${literals.length > 16 ? ",..." : ""}]`;
}
// </>
