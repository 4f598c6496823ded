/** At most the first 128 or `most` code points of a text, and `end` if there are more. */
function clip(text«: string», most = 128, end = "\u2026")«: string» {
  const start = text.length > most ? [...text.slice(0, 2 * most)].slice(0, most).join("") : text;
  return start === text ? text : start + end;
}
