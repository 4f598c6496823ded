const dateTime =
  /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339 section 5.6; a leap second ends a day in UTC. */
function formatDateTime(text«: string»)«: boolean» {
  if (!dateTime.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (text.startsWith("02-29", 5) && !isLeapYear) return false;
  if (text[17] !== "6") return true;
  const offset = /Z$/i.test(text) ? "+00:00" : text.slice(-6);
  const ahead = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  const minute = Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16));
  return (minute + (offset.startsWith("+") ? -ahead : ahead) + 2880) % 1440 === 1439;
}
