/**
 * The message about a request that a provider cannot read, by a caller with another contract. It names the side that does not know
 * or accept something: either may be the older one.
 */
function unreadable({ path, message, keyword }«: any», ours«?: string», theirs«?: string»)«: string» {
  const of = (version«?: string») => (version === undefined ? "" : ` (${version})`);
  const shown = (name«: string») => {
    if (/^[\p{Alphabetic}\p{N}_\-./$]{1,64}$/u.test(name)) return `\`${name}\``;
    const chars = [...name];
    return JSON.stringify(chars.slice(0, 64).join("")) + (chars.length > 64 ? "..." : "");
  };
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/~1/g, "/").replace(/~0/g, "~");
  if (keyword === "additionalProperties" && path) {
    return `the provider${of(ours)} does not know ${shown(name)}, which your contract${of(theirs)} may send`;
  }
  if (keyword === "required" && path) {
    return `the provider${of(ours)} requires ${shown(name)}, which your contract${of(theirs)} may leave out`;
  }
  return `the provider${of(ours)} does not accept ${path ? shown(path) : "the request"}, which your contract${of(theirs)} allows: ${message}`;
}
