/** The grammar of a dateTimeStamp. Source: W3C XML Schema Definition Language 1.1 Part 2, sections 3.4.28 and 3.3.7. */
const dateTimeStampPattern = new RegExp(
  [
    /^(-?(?:[1-9]\d{3,5}|0\d{3}))-(\d\d)-(\d\d)/,
    /T(?:([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?|24:00:00(?:\.0+)?)/,
    /(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/,
  ]
    .map(({ source }) => source)
    .join(''),
)

/** Maximum length of a dateTimeStamp. */
const maxLength = 64

/**
 * Parses a dateTimeStamp, which must have an offset and name a day that exists.
 * @returns milliseconds since 1970; null if the value is no dateTimeStamp or is out of the range of a Date
 */
export function parseDateTimeStamp(value: unknown): number | null {
  const parts = typeof value === 'string' && value.length <= maxLength ? dateTimeStampPattern.exec(value) : null
  if (!parts) return null
  const [, year, month, day, hours = '24', minutes = '0', seconds = '0', fraction = '0', offset = 'Z'] = parts
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null
  date.setUTCHours(Number(hours), Number(minutes), Number(seconds), Math.floor(Number(`0.${fraction}`) * 1_000))
  const time = date.getTime() - parseOffsetMinutes(offset) * 60_000
  return Number.isNaN(time) ? null : time
}

function parseOffsetMinutes(offset: string): number {
  if (offset === 'Z') return 0
  const [hours, minutes] = offset.slice(1).split(':')
  return (offset.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
