/** `duration` of RFC 3339 appendix A. */
function isDuration(text«: any»)«: boolean» {
  return typeof text === "string" && durationForm.test(text);
}
