/**
 * The rule that explains why a value violates a union: the rule of the only branch that could match, or a message about the closest branch
 * or about two that match; `undefined` if the value does not violate it. Only a union that `isOpen` lists the violations of the closest
 * branch, because each level would make the message longer. The functions are those of `parse`.
 */
function explainUnion({ keyword, any = {}, when = [], branches }«: any», value«: any», type«: string», isOpen«: boolean», { follow, follows, isOf, find, cut, shown, literal }«: any»)«: any» {
  // A branch that allows the type is closer than others, and one that could match is closer still.
  const failed = branches.map((_«: any», index«: number») => {
    const rule = follow(when[index] ?? {});
    return rule.type && !isOf(rule.type, type) ? 2e9 : follows(rule, value) ? 0 : 1e9;
  });
  const nearest = Math.min(...failed);
  // Only the nearest branches are visited, and none if the value lacks what all of them need.
  const lacksAny = nearest && !follows(any, value);
  const distances = branches.map((branch«: any», index«: number») =>
    lacksAny || failed[index] > nearest ? Infinity : failed[index] + (follows(branch, value) ? 0 : find(branch, value).count),
  );
  const index = distances.indexOf(Math.min(...distances));
  const closest = branches[index];
  if (!distances[index]) {
    const second = distances.indexOf(0, index + 1);
    return second > 0 && keyword === "oneOf" ? { [keyword]: `matches more than one branch of ${keyword}: ${index} and ${second}` } : undefined;
  }
  if (lacksAny || !follows(any, value)) return follow(any);
  if (distances.filter((distance«: number») => distance < 1e9).length === 1) return follow(closest);
  const { found, count } = find(closest, value);
  const lacks = found.map(({ path, message }«: any») => message + (path && shown(" at " + cut(path))));
  const more = count > 16 ? `; and ${count - 16} more` : "";
  const text = `; closest is branch ${index}${closest.ref != null ? ` (${literal(closest.ref)})` : ""}: ${lacks.join("; ")}${more}`;
  return { [keyword]: `matches no branch of ${keyword}${isOpen ? text : ""}` };
}
