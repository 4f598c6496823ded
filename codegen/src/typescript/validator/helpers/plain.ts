/** Whether an object is no `Date`, `Map` or other instance: what `JSON.parse` gives, in any realm. */
function plain(value«: Dict»)«: boolean» {
  const prototype«: unknown» = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
