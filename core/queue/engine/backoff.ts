/**
 * Computes the seconds before the next attempt. They double from `minSeconds` up to `maxSeconds`, times a random 0.5 to
 * 1.5.
 */
export function computeBackoffSeconds(
  attempt: number,
  { minSeconds, maxSeconds }: { minSeconds: number; maxSeconds: number },
): number {
  const grown = Math.min(maxSeconds, minSeconds * 2 ** Math.min(attempt - 1, 30))
  return grown * (0.5 + Math.random())
}
