/** A number in decimal; an integer has all its digits. */
function decimal(value«: number»)«: string» {
  const [mantissa = "", exponent] = String(value).split("e+");
  if (exponent === undefined) return mantissa;
  const [whole = "", fraction = ""] = mantissa.split(".");
  return whole + fraction.padEnd(Number(exponent), "0");
}
