/** Whether an object has just so many members. */
function hasSize(value«: Dict», size«: number»)«: boolean» {
  let count = 0;
  for (const _ in value) count++;
  return count === size || members(value).length === size;
}
