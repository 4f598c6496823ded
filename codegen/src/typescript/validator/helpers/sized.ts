/** Whether an object has just so many members, or the others are not nested too deep. */
function sized(value«: any», size«: number», levels«?: number»)«: boolean» {
  let count = 0;
  for (const _ in value) count++;
  return (
    count === size ||
    (levels ? shallow(value, levels) : Object.values(value).filter((member) => member !== undefined).length === size)
  );
}
