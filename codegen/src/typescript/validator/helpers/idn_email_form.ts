const idnEmailForm«: RegExp» =
  /^(?:[\w!#$%&'*+\-/=?^`{|}~\x80-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\x80-\u{10ffff}]+)*|"(?:[ !#-[\]-~\x80-\u{10ffff}]|\\[ -~])*")@(?:[A-Za-z\d\x80-\u{10ffff}](?:[A-Za-z\d\x80-\u{10ffff}-]{0,61}[A-Za-z\d\x80-\u{10ffff}])?(?:\.[A-Za-z\d\x80-\u{10ffff}](?:[A-Za-z\d\x80-\u{10ffff}-]{0,61}[A-Za-z\d\x80-\u{10ffff}])?)*|\[[\dA-Za-z:.]*\])$/u;
