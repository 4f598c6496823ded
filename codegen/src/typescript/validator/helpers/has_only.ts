/** Whether an object has no other members. */
function hasOnly(value«: Dict», names«: ReadonlySet<string>»)«: boolean» {
  return members(value).every((name) => names.has(name));
}
