import { isLinkAddress } from '../../../kernel/text/addresses.ts'

const dayMs = 86_400_000

const datePattern = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2}))?$/

/**
 * The time that a date covers, in milliseconds since 1970: one instant for a date-time, a whole UTC day for
 * `YYYY-MM-DD`.
 */
export interface TimeSpan {
  first: number
  last: number
}

/** Parses `YYYY-MM-DD` or an RFC 3339 date-time; null if the text is neither, or not a day of the calendar. */
export function parseDate(text: string): TimeSpan | null {
  const parts = text.length <= 40 ? datePattern.exec(text) : null
  if (!parts) return null
  const [year, month, dayOfMonth] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, dayOfMonth)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== dayOfMonth) return null
  const first = midnight.getTime()
  if (parts[4] === undefined) return { first, last: first + dayMs - 1 }
  return parseTime(first, parts)
}

function parseTime(midnight: number, parts: RegExpExecArray): TimeSpan | null {
  const [hour, minute, second] = [Number(parts[4]), Number(parts[5]), Number(parts[6])]
  const offset = parseOffsetMinutes(parts[8] ?? 'Z')
  if (hour > 23 || minute > 59 || second > 60 || offset === null) return null
  const minuteStart = midnight + (hour * 60 + minute - offset) * 60_000
  // Second 60 is a leap second, which can only end a UTC day. Source: RFC 3339, section 5.7.
  if (second === 60 && (minuteStart + 60_000) % dayMs !== 0) return null
  const at = minuteStart + second * 1_000 + Math.floor(Number(`0.${parts[7] ?? 0}`) * 1_000)
  return { first: at, last: at }
}

function parseOffsetMinutes(text: string): number | null {
  if (/^z$/i.test(text)) return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4, 6))]
  if (hours > 23 || minutes > 59) return null
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

// The patterns exclude characters that RFC 3986 does not allow: the WHATWG parser would silently drop or repair them.
const webAddressPattern = /^https?:\/\/[^\s\p{Cc}<>"\\^`{|}/?#][^\s\p{Cc}<>"\\^`{|}]*$/iu
const ipfsAddressPattern = /^ipfs:\/\/[A-Za-z0-9]+(?:\/[^\s\p{Cc}<>"\\^`{|}]*)?$/u

/** The maximum length of an address, in UTF-16 units. */
const maxAddressLength = 2048

/** Checks whether a text is an absolute http or https URL of at most 2,048 characters, without a user name. */
export function isWebAddress(text: string): boolean {
  return text.length <= maxAddressLength && webAddressPattern.test(text) && isLinkAddress(text)
}

/** Checks whether a text is the address of an image: an http(s) URL or `ipfs://<cid>[/path]`. */
export function isImageAddress(text: string): boolean {
  return isWebAddress(text) || (text.length <= maxAddressLength && ipfsAddressPattern.test(text) && isLinkAddress(text))
}

/** Checks whether PostgreSQL can store a text: it has no NUL and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Counts the Unicode code points of a text, as JSON Schema does. */
export function countCodePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0xdc00 || unit > 0xdfff) count += 1
  }
  return count
}

/** Checks whether a JSON value nests at most `depth` levels and has only texts that can be stored. */
export function isPlainJson(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  if (Array.isArray(value)) return value.every((item) => isPlainJson(item, depth - 1))
  return Object.entries(value).every(([key, item]) => isStorable(key) && isPlainJson(item, depth - 1))
}
