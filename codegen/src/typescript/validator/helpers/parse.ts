function parse(isValid«: boolean», value«: any», options«: Options | undefined», schema«: () => any»)«: any» {
  return isValid ? { ok: true, value } : { ok: false, violations: collect(schema(), value, options) };
}
