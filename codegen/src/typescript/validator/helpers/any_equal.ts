function anyEqual(value«: Json», literals«: readonly unknown[]»)«: boolean» {
  for (const literal of literals) if (equal(value, literal)) return true;
  return false;
}
