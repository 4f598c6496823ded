/** `Mailbox` of RFC 5321 section 4.1.2, in octets of ASCII. */
function isEmail(text«: any»)«: boolean» {
  if (typeof text !== "string" || text.length > 254 || text.lastIndexOf("@") > 64 || !emailForm.test(text)) return false;
  const address = text.endsWith("]") && /@\[ipv6:([^@]*)]$/i.exec(text)?.[1];
  return !address || isIpv6(address, 6, /:(?:[01]?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:[01]?\d?\d|2[0-4]\d|25[0-5])){3}$/);
}
