/** The functions that describe the versions of a capability. */
function versionsOf(methods«: any», name«: string»)«: any[]» {
  const entries = Object.values«<any>»(methods).filter(([label]) => label?.split("@")[0] === name);
  return entries.map(([, describe]) => describe);
}
