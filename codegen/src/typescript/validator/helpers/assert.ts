function assert({ ok, violations }«: any»)«: void» {
  if (!ok) throw new PayloadError(violations);
}
