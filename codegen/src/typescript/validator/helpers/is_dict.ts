/** Whether a value is a plain object, as `JSON.parse` returns, of any realm: not an array, `Date`, `Map` or other instance. */
function isDict(value«: any»)«: boolean» {
  if (value === null || value === undefined) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}
