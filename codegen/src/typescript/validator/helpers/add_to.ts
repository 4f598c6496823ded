/** Counts a violation, and adds it to a list that has room for it. Once a violation is left out, so are all that follow. */
function addTo(list«: any», path«: () => string», message«: string», keyword«: unknown», params«?: unknown»)«: void» {
  list.count++;
  list.truncated ||= list.found.length >= list.most;
  if (list.truncated) return;
  const violation«: any» = { path: path(), message: clip(message, 4096), keyword };
  if (params) violation.params = params;
  const text = violation.path + violation.message;
  // In UTF-8.
  let bytes = text.length;
  for (const c of text.match(/[\u0080-\u{10ffff}]/gu) ?? []) bytes += c < "\u0800" ? 1 : 2;
  list.room -= bytes;
  list.truncated = list.room < 0 && list.found.length > 0;
  if (!list.truncated) list.found.push(violation);
}
