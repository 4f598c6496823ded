/** `Mailbox` of RFC 6531 section 3.3, in octets of UTF-8. The tables of IDNA are not applied. */
function isIdnEmail(text«: any»)«: boolean» {
  if (typeof text !== "string" || !idnEmailForm.test(text)) return false;
  const octets = (part«: string») => {
    let count = 0;
    for (const c of part) count += c < "\x80" ? 1 : c < "\u0800" ? 2 : c.length + 2;
    return count;
  };
  const at = text.lastIndexOf("@");
  if (octets(text) > 254 || octets(text.slice(0, at)) > 64) return false;
  return !text.endsWith("]") || isEmail(`a${text.slice(at)}`);
}
