/**
 * `Pattern` of ECMA-262 with the flag `u`, of at most 65,536 UTF-16 code units and 200 levels of groups. Names of Unicode
 * properties and characters of names outside of ASCII are not looked up: engines have the tables of different versions.
 */
function isRegex(text«: any»)«: boolean» {
  if (typeof text !== "string" || text.length > 65536) return false;
  const open«: boolean[]» = [];
  const names = new Set«<string>»();
  const references«: string[]» = [];
  let at = 0;
  let groups = 0;
  let greatest = 0;
  let isQuantifiable = false;
  for (const match of text.matchAll(regexToken)) {
    if (match.index !== at) return false;
    at += match[0].length;
    const [, start, kind, name, end, members, quantifier, least, most, assertion, reference, named] = match;
    let isAtom = false;
    if (start) {
      if (name !== undefined) {
        const known = regexName(name);
        if (!known || names.has(known)) return false;
        names.add(known);
      }
      groups += kind ? 0 : 1;
      if (open.push(!kind || kind === ":") > 200) return false;
    } else if (end) {
      const group = open.pop();
      if (group === undefined) return false;
      isAtom = group;
    } else if (quantifier) {
      const [from, to] = [least, most].map((digits) => (digits ?? "").replace(/^0+(?=\d)/, ""))« as [string, string]»;
      if (!isQuantifiable || (to && (from.length > to.length || (from.length === to.length && from > to)))) return false;
    } else if (!assertion) {
      if (members !== undefined && !isRegexClass(members)) return false;
      if (reference) greatest = Math.max(greatest, Number(reference));
      if (named !== undefined) references.push(regexName(named));
      isAtom = true;
    }
    isQuantifiable = isAtom;
  }
  return at === text.length && !open.length && greatest <= groups && references.every((name) => names.has(name));
}
