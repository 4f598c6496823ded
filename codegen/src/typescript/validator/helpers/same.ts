/**
 * Whether two values are equal as JSON values: neither the order of members matters, nor do members that are `undefined`. Values that
 * are nested deeper than 128 levels are invalid, so their equality does not matter either.
 */
function same(one«: any», other«: any», levels = 128)«: boolean» {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null || !levels) return false;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => same(item, other[index], levels - 1));
  if (!isDict(one) || !isDict(other)) return canonical(one) === canonical(other);
  let more = 0;
  for (const name of Object.keys(one)) {
    if (one[name] === undefined) continue;
    if (!Object.prototype.hasOwnProperty.call(other, name) || !same(one[name], other[name], levels - 1)) return false;
    more--;
  }
  for (const name of Object.keys(other)) if (other[name] !== undefined) more++;
  return !more;
}
