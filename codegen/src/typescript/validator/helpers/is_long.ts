/** Whether a text has at least so many code points: at most as many as UTF-16 units, and at least half as many. */
function isLong(text«: string», least«: number»)«: boolean» {
  return text.length >= least && (text.length >= 2 * least - 1 || codePoints(text) >= least);
}
