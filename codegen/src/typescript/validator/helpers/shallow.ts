/** Whether arrays and objects are nested at most `levels` deep. */
function shallow(value«: any», levels«: number»)«: boolean» {
  return (
    typeof value !== "object" ||
    value === null ||
    (levels > 0 && Object.values(value).every((item) => shallow(item, levels - 1)))
  );
}
