/** Seconds before another attempt: doubles from `least` up to `most`, spread by a half either way. */
export function backoffSeconds(attempt: number, { least, most }: { least: number; most: number }): number {
  const grown = Math.min(most, least * 2 ** Math.min(attempt - 1, 30))
  return grown * (0.5 + Math.random())
}
