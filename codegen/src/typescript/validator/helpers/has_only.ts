/** Whether an object has no members but those with these names. */
function hasOnly(value«: any», names«: ReadonlySet<string>»)«: boolean» {
  return Object.keys(value).every((name) => names.has(name) || value[name] === undefined);
}
