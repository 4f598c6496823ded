/** Whether the members of a class are characters, escapes, and ranges in their order. */
function isRegexClass(text«: string»)«: boolean» {
  const form =
    /^(?:[^\\]|\\(?:[DSWbdfnrstvw$()*+./?[\\\]^{|}-]|0(?!\d)|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|u\{0*(?:[\dA-Fa-f]{1,5}|10[\dA-Fa-f]{4})\}|[Pp]\{(?:[A-Z_a-z]+=)?\w+\}))*$/u;
  if (!form.test(text)) return false;
  const members =
    text.match(/\\u[dD][89ABab][\dA-Fa-f]{2}\\u[dD][C-Fc-f][\dA-Fa-f]{2}|\\u\{[^}]*\}|\\[Pp]\{[^}]*\}|\\u....|\\x..|\\c.|\\[^]|[^]/gu) ?? [];
  const code = (member«: string») => {
    const [, lead, trail, digits, letter, other] =
      /^\\(?:u(d...)\\u(....)|[ux]\{?([\da-f]+)\}?|c(.)|([^]).*)$/i.exec(member) ?? [];
    if (lead) return ((parseInt(lead, 16) - 0xd800) << 10) + parseInt(trail« as string», 16) - 0xdc00 + 0x10000;
    if (digits) return parseInt(digits, 16);
    if (letter) return letter.charCodeAt(0) % 32;
    if (!other) return member.codePointAt(0)« as number»;
    const control = "0btnvfr".indexOf(other);
    return /[dpsw]/i.test(other) ? NaN : control < 0 ? other.charCodeAt(0) : control && control + 7;
  };
  for (let index = 0; index < members.length; index++) {
    if (members[index + 1] === "-" && index + 2 < members.length) {
      if (!(code(members[index]« as string») <= code(members[index + 2]« as string»))) return false;
      index += 2;
    }
  }
  return true;
}
