function assert({ ok, violations, truncated }«: any»)«: void» {
  if (!ok) throw new PayloadError(violations, truncated);
}
