function fail(type«: string», violations«: Violation[]»)«: never» {
  const [first] = violations;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : "";
  const place = first === undefined || first.path === "" ? "" : `${first.path}: `;
  throw Object.assign(new Error(`no ${type}: ${place}${first?.message ?? ""}${more}`), { violations });
}
