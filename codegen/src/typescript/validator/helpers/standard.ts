/**
 * The result of a `parse` function in the form of Standard Schema, with the indexes of arrays as numbers, and the keyword and its
 * parameters. If there are more violations, the last issue is `and more`.
 */
function standard(parser«: any», value«: any», options«: any»)«: any» {
  const { ok, violations, truncated } = parser(value, { ...options?.libraryOptions, params: paramsOf });
  const issue = ({ path: pointer, message, keyword, params = {} }«: any») => {
    let place = value;
    const path = pointer.split("/").slice(1).map((token«: string») => {
      const name = token.replace(/~1/g, "/").replace(/~0/g, "~");
      const key = Array.isArray(place) ? Number(name) : name;
      // A long name is cut in the pointer.
      place = place?.[key] ?? Object.entries(place ?? {}).find(([name]) => name !== key && clip(name) === key)?.[1];
      return key;
    });
    return { message, path, keyword, params };
  };
  return ok ? { value } : { issues: violations.map(issue).concat(truncated ? { message: "and more", path: [] } : []) };
}
