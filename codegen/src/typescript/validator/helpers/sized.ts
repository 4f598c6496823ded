/**
 * Whether an object has exactly `size` members, not counting those that are `undefined`. If `levels` is given, it may have
 * others, which must not be nested deeper.
 */
function sized(value«: any», size«: number», levels«?: number»)«: boolean» {
  let count = 0;
  for (const _ in value) count++;
  return (
    count === size ||
    (levels ? shallow(value, levels) : Object.values(value).filter((member) => member !== undefined).length === size)
  );
}
