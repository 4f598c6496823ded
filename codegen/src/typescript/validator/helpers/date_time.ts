/** RFC 3339 section 5.6; a leap second ends a day in UTC. */
function isDateTime(text«: any»)«: boolean» {
  if (typeof text !== "string" || !dateTimeForm.test(text)) return false;
  const number = (at«: number») => Number(text.slice(at, at + 2));
  const year = Number(text.slice(0, 4));
  if (text.startsWith("02-29", 5) && year % (year % 100 ? 4 : 16)) return false;
  const zone = text.length - 6;
  const offset = /z$/i.test(text) ? 0 : (number(zone + 1) * 60 + number(zone + 4)) * (text[zone] === "+" ? 1 : -1);
  return text[17] !== "6" || (number(11) * 60 + number(14) - offset + 2880) % 1440 === 1439;
}
