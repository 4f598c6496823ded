/**
 * Whether a value is a string of `least` to `most` code points. A string has at most as many code points as UTF-16 units, and
 * at least half as many, so most strings need not be counted.
 */
function spans(text«: any», least«: number», most«: number» = Infinity)«: boolean» {
  if (typeof text !== "string") return false;
  const { length } = text;
  const count = length >= 2 * least - 1 && (length <= most || length > 2 * most) ? length : codePoints(text);
  return count >= least && count <= most;
}
