/** Whether an object has from `least` to `most` members, not counting those that are `undefined`. */
function spansMembers(value«: any», least«: number», most«: number» = Infinity)«: boolean» {
  const size = Object.values(value).filter((member) => member !== undefined).length;
  return least <= size && size <= most;
}
