/**
 * Whether a number is a multiple of a divisor. Their decimal digits decide, because JavaScript's division rounds: 0.3 / 0.1 is
 * not an integer. Up to 2^53, the remainder of a division by an integer is exact.
 */
function isMultiple(value«: any», divisor«: any»)«: boolean» {
  if (Number.isSafeInteger(divisor) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, places] = decimalParts(value);
  const [divisorDigits, divisorPlaces] = decimalParts(divisor);
  const zeros = (count«: number») => "0".repeat(Math.max(0, count));
  const dividend = BigInt(digits + zeros(divisorPlaces - places));
  return dividend % BigInt(divisorDigits + zeros(places - divisorPlaces)) === BigInt(0);
}
