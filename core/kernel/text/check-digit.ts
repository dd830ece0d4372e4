const weights = [3, 1] as const

/** Computes the check digit for digits without one. Source: GS1 General Specifications, section 7.9.1. */
export function computeCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => total + Number(digit) * (weights[at % 2] ?? 1), 0)
  return String((10 - (sum % 10)) % 10)
}
