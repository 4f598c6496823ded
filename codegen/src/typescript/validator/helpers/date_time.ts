/** `date-time` of RFC 3339 section 5.6. A leap second is the last second of a day in UTC. */
function isDateTime(text«: any»)«: boolean» {
  return (
    typeof text === "string" &&
    dateTimeForm.test(text) &&
    (!text.startsWith("02-29", 5) || new Date(text.slice(0, 10)).getUTCDate() === 29) &&
    (text[17] !== "6" || new Date(text.toUpperCase().replace(/:60[.\d]*/, "")).toISOString().includes("T23:59"))
  );
}
