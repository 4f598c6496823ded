/** A list of violations that has at most `most` of them, with at most `room` bytes of text, but at least one. */
function listOf(most«: number», room«: number» = Infinity)«: any» {
  return { found: [], count: 0, most, room, truncated: false };
}
