/** The number of members of all objects in a valid JSON text, and the text without the member `auth` of the outermost one. */
function membersOf(text«: string»)«: any» {
  let count = 0;
  let depth = 0;
  let [start, name, end] = [0, 0, 0];
  let [isAuth, isFirst] = [false, true];
  let unsigned«: any»;
  for (let at = 0; at < text.length; at++) {
    const c«: any» = text[at];
    if (c === '"') {
      const from = at;
      while (text[++at] !== '"') if (text[at] === "\\") at++;
      if (depth === 1 && !isAuth) [name, end] = [from, at + 1];
    } else if (c === ":") {
      count++;
      if (depth === 1) isAuth = JSON.parse(text.slice(name, end)) === "auth";
    } else if (c === "," || c === "}" || c === "]") {
      if (depth === 1) {
        if (isAuth) {
          const value = text.slice(0, at).trimEnd().length;
          // One comma next to the member is left out: the one before it, unless it is the first.
          const rest = text.slice(isFirst && c === "," ? at + 1 : value);
          unsigned = text.slice(0, isFirst ? name : start) + rest;
        }
        [isAuth, isFirst, start] = [false, false, at];
      }
      if (c !== ",") depth--;
    } else if (c === "{" || c === "[") depth++;
  }
  return { count, unsigned };
}
