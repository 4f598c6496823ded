function assert({ ok, violations }«: any»)«: void» {
  if (!ok) throw Object.assign(new Error(`${violations[0].path}: ${violations[0].message}`), { violations });
}
