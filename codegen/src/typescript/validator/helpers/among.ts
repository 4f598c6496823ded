function among(value«: unknown», literals«: readonly unknown[]»)«: boolean» {
  return typeof value === "object" && literals.some((literal) => same(literal, value));
}
