/** Digits after the point that prices can have. */
const decimals = 8

/** Multiplies a price by whole units, exactly. @param price a decimal with at most 8 digits after the point */
export const multiplyPrice = (price: string, units: number): string => formatScaled(parseScaled(price) * BigInt(units))

/** Adds decimals, exactly. */
export const addAmounts = (amounts: readonly string[]): string =>
  formatScaled(amounts.map(parseScaled).reduce((sum, amount) => sum + amount, 0n))

function parseScaled(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** Formats with two digits after the point, or as many more as there are. */
function formatScaled(value: bigint): string {
  const digits = value.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0{1,6}$/, '')
  return `${digits.slice(0, -decimals)}.${fraction}`
}
