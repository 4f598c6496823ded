/** RFC 4291 section 2.2. */
function isIpv6Address(text«: any»)«: boolean» {
  return (
    typeof text === "string" &&
    /^[\da-f:.]+$/i.test(text) &&
    isIpv6(text, 7, /:(?:(?!0\d)[01]?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:(?!0\d)[01]?\d?\d|2[0-4]\d|25[0-5])){3}$/)
  );
}
