/** Whether an object has no other members. */
function hasOnly(value«: any», names«: ReadonlySet<string>»)«: boolean» {
  return Object.keys(value).every((name) => names.has(name) || value[name] === undefined);
}
