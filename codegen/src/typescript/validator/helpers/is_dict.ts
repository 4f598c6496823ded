/** Whether a value is an object as `JSON.parse` gives it, in any realm: no array, `Date`, `Map` or other instance. */
function isDict(value«: any»)«: boolean» {
  if (value === null || value === undefined) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
