/** Whether at most so many arrays and objects are nested in each other. */
function shallow(value«: Json», levels«: number»)«: boolean» {
  if (typeof value !== "object" || value === null) return true;
  if (levels <= 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!shallow(item, levels - 1)) return false;
  } else {
    for (const name in value) if (!shallow(value[name], levels - 1)) return false;
  }
  return true;
}
