/** The name of a group without escapes; empty if it is invalid. */
function regexName(text«: string»)«: string» {
  const name = text.replace(
    /\\u(?:(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|([\da-f]{4})|\{0*([\da-f]{1,5}|10[\da-f]{4})\})/gi,
    (_, lead«: string | undefined», trail«: string», unit«: string | undefined», code«: string») => {
      if (lead) return String.fromCharCode(parseInt(lead, 16), parseInt(trail, 16));
      const point = parseInt(unit ?? code, 16);
      return point >> 11 === 27 ? " " : String.fromCodePoint(point);
    },
  );
  return /^(?!\d)[\w$\x80-\u{10ffff}]+$/u.test(name) ? name : "";
}
