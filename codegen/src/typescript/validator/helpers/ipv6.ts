/** `::` replaces one or more groups, which limits the number of the others; the last two groups may be four octets. */
function isIpv6(text«: string», most«: number», octets«: RegExp»)«: boolean» {
  const groups = text.replace(octets, ":0:0");
  const count = (groups.match(/[\da-f]+/gi) ?? []).length;
  return (
    !/^:[^:]|::.*::|:::|[^:]:$|[\da-f]{5}|\./i.test(groups) && (groups.includes("::") ? count <= most : count === 8)
  );
}
