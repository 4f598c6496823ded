/** The result of a `parse` function in the form of Standard Schema, with the indexes of arrays as numbers. */
function standard(parser«: any», value«: any», options«: any»)«: any» {
  const { ok, violations } = parser(value, options?.libraryOptions ?? {});
  const issue = ({ path: pointer, message }«: any») => {
    let place = value;
    const path = pointer.split("/").slice(1).map((token«: string») => {
      const name = token.replace(/~1/g, "/").replace(/~0/g, "~");
      const key = Array.isArray(place) ? Number(name) : name;
      place = place?.[key];
      return key;
    });
    return { message, path };
  };
  return ok ? { value } : { issues: violations.map(issue) };
}
