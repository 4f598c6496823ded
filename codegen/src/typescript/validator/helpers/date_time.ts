/** RFC 3339 section 5.6; a leap second ends a day in UTC. */
function isDateTime(text«: any»)«: boolean» {
  if (typeof text !== "string" || !dateTimeForm.test(text)) return false;
  const year = text.slice(0, 4);
  if (text.startsWith("02-29", 5) && Number(year) % (year.endsWith("00") ? 16 : 4)) return false;
  if (text[17] !== "6") return true;
  const before = `${text.slice(0, 17)}59${text.slice(19).replace(/\.\d+/, "")}`;
  return new Date(before.toUpperCase()).toISOString().includes("T23:59");
}
