/** The envelope in a text, read strictly; `undefined` if it is invalid. */
function readEnvelope(text«: string»)«: any» {
  try {
    const envelope = JSON.parse(text);
    if (!isEnvelope(envelope)) return;
    // `JSON.parse` keeps the last of several members with one name; other programs keep the first.
    let { count } = membersOf(text);
    for (const open«: any[]» = [envelope]; open.length > 0; ) {
      const value = open.pop();
      if (typeof value !== "object" || value === null) continue;
      const parts = Object.values(value);
      if (!Array.isArray(value)) count -= parts.length;
      for (const part of parts) open.push(part);
    }
    return count === 0 ? envelope : undefined;
  } catch {}
}
