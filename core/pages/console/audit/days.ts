const dayMs = 86_400_000

/** Returns by how many milliseconds the clocks of a zone are ahead of UTC at an instant. */
function getOffset(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/**
 * Returns the instant at which a day begins in a time zone; of a clock change at midnight, the hour around it is not told
 * apart.
 * @param midnight the beginning of the day in UTC, RFC 3339
 * @param days number of days to add
 */
export function getDayStart(midnight: string, timeZone: string, days = 0): string {
  const wanted = Date.parse(midnight) + days * dayMs
  const near = wanted - getOffset(wanted, timeZone)
  return new Date(wanted - getOffset(near, timeZone)).toISOString()
}
