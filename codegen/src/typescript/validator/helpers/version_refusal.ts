/**
 * Why an agent refuses the callers whose contract has a version; `undefined` if it serves them. Versions are compared by precedence, as
 * SemVer defines it, and their numbers have 64 bits.
 */
function versionRefusal({ version: ours, minSchemaVersion: least, supportedVersions: supported }«: any», version«: string»)«: any» {
  if (!least && !supported) return;
  const part = "(?:0|[1-9]\\d*|\\d*[a-z-][\\da-z-]*)";
  const release = "(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)";
  const form = new RegExp(`^${release}(?:-${part}(?:\\.${part})*)?(?:\\+[\\da-z-]+(?:\\.[\\da-z-]+)*)?$`, "i");
  const [, ...numbers]«: any» = form.exec(version) ?? [];
  if (numbers.length < 3 || numbers.some((number«: string») => number.padStart(20, "0") > "18446744073709551615"))
    return ["EAGENTRPC_INVALID_ENVELOPE", "the header `capgen-version` is invalid: it is not a semantic version"];
  // Numbers are before words. A release is after its pre-releases, and the end of a pre-release is before everything.
  const keys = (text«: string»)«: any» => {
    const [, core, preRelease]«: any» = /^([^-+]*)(?:-([^+]*))?/.exec(text);
    const key = (name«: string») => (/^\d+$/.test(name) ? [0, name.length, name] : [1, 0, name]);
    const names = [...core.split("."), ...(preRelease?.split(".") ?? [])];
    return [...names.map(key), [preRelease === undefined ? 2 : -1]].flat();
  };
  const order = (bound«: string») => {
    const [left, right] = [keys(version), keys(bound)];
    const at = left.findIndex((key«: any», index«: number») => key !== right[index]);
    return at < 0 ? 0 : left[at] < right[at] ? -1 : 1;
  };
  const isIn = (range«: string») =>
    range.split(" ").every((condition) => {
      const [, operator, bound]«: any» = /^([<>=]*)(.*)/.exec(condition);
      const operators«: any» = [["<", "<="], ["", "=", ">=", "<="], [">", ">="]];
      return !condition || operators[order(bound) + 1].includes(operator);
    });
  const but = `but the caller has version ${version}`;
  if (least && order(least) < 0) return ["EVERSION_SKEW", `the provider serves callers with version ${least} or later, ${but}`];
  if (supported && ![...supported, ...(ours ? [ours] : [])].some(isIn))
    return ["EVERSION_SKEW", `the provider serves the versions ${supported.join(", ")}, ${but}`];
}
