/** The digits of a number as it is printed, and how many of them are after the decimal point; less than 0 for zeros at the end. */
function decimalParts(number«: any»)«: [string, number]» {
  const [mantissa = "", exponent = 0] = String(number).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return [whole + fraction, fraction.length - Number(exponent)];
}
