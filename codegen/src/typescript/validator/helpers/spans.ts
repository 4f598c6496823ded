/** Whether a value is a text of so many code points: at most as many as UTF-16 units, and at least half as many. */
function spans(text«: any», least«: number», most = Infinity)«: boolean» {
  if (typeof text !== "string") return false;
  const { length } = text;
  const count = length >= 2 * least - 1 && (length <= most || length > 2 * most) ? length : codePoints(text);
  return count >= least && count <= most;
}
