/** Whether arrays and objects are nested at most `levels` deep. */
function shallow(value«: any», levels«: number»)«: boolean» {
  if (typeof value !== "object" || value === null) return true;
  if (levels > 0) for (const item of Array.isArray(value) ? value : Object.values(value)) if (!shallow(item, levels - 1)) return false;
  return levels > 0;
}
