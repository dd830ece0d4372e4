import { isObject, isUrl, type JsonObject, toList, VerificationError } from '../formats/index.ts'

/** Maximum number of status entries of one credential, and of bits of one entry. */
const limits = { maxEntries: 4, maxBits: 8 }

/** A parsed entry of a status list. */
export interface StatusEntry {
  /** The purpose: `revocation`, `suspension`, `message`, `refresh`, or a word of the issuer. */
  purpose: string
  /** Position of the value in the list, counted in entries. */
  index: number
  /** Number of bits of the value. */
  size: number
  /** Address of the list. */
  list: string
}

/** Purposes that inform about a credential but do not end it. */
export const informativePurposes = ['message', 'refresh']

/**
 * Parses the status entries of a credential. In a token, entries other than Bitstring Status List entries are skipped,
 * as its specification requires. For the embedded form no specification says so; there such an entry leaves the status
 * unknown.
 * @throws VerificationError if an entry is malformed
 * Source: W3C Bitstring Status List 1.0, sections 2.1 and 3; W3C VC-JOSE-COSE, section 5.4.
 */
export function parseStatusEntries(
  { credentialStatus }: JsonObject,
  form: 'ld' | 'jwt',
): { entries: StatusEntry[]; unknown: number } {
  const all = toList(credentialStatus)
  if (all.length > limits.maxEntries)
    throw new VerificationError(`It has more than ${limits.maxEntries} status entries`)
  const known = all.filter(isObject).filter(({ type }) => toList(type).includes('BitstringStatusListEntry'))
  if (known.length < all.length && form === 'ld')
    throw new VerificationError('Its status is of a kind that is not known here', { unknown: true })
  return { entries: known.map(parseStatusEntry), unknown: all.length - known.length }
}

/** Parses one status entry. @throws VerificationError */
function parseStatusEntry(entry: JsonObject): StatusEntry {
  const { id, statusPurpose: purpose, statusListIndex, statusListCredential: list, statusReference } = entry
  if (typeof purpose !== 'string' || purpose === '') throw new VerificationError('Its status has no purpose')
  if (!isUrl(list)) throw new VerificationError('Its status names no list')
  if (id !== undefined && (!isUrl(id) || id === list))
    throw new VerificationError('Its status has an id that is no URL, or that of the list')
  if (!toList(statusReference).every(isUrl)) throw new VerificationError('Its status refers to what is no URL')
  return { purpose, index: parseIndex(statusListIndex), size: parseSize(entry), list }
}

/** Parses an index, which W3C writes as text and UNTP as a number. @throws VerificationError */
function parseIndex(value: unknown): number {
  const isIndex =
    typeof value === 'string' ? /^(0|[1-9]\d*)$/.test(value) : Number.isSafeInteger(value) && Number(value) >= 0
  if (!isIndex) throw new VerificationError('Its status has no index')
  return Number(value)
}

/** Parses the number of bits. @throws VerificationError unless an entry of several bits has a message for each value */
function parseSize({ statusSize: size = 1, statusMessage }: JsonObject): number {
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1)
    throw new VerificationError('Its status has a size that is no number of bits')
  if (size > limits.maxBits)
    throw new VerificationError(`Its status takes more than ${limits.maxBits} bits, which are not read here`, {
      unknown: true,
    })
  if (statusMessage !== undefined || size > 1) parseStatusMessages(statusMessage, size)
  return size
}

/** Parses a list of messages into a map by value. @throws VerificationError */
function parseMessageList(messages: unknown): Map<number, string> {
  if (!Array.isArray(messages)) throw new VerificationError('Its status has no list of messages')
  return new Map(
    messages.map((one) => {
      const { status, message }: JsonObject = isObject(one) ? one : {}
      if (typeof status !== 'string' || !/^0x[\da-f]{1,8}$/i.test(status) || typeof message !== 'string') {
        throw new VerificationError('Its status has a message without its value, or without its text')
      }
      return [Number(status), message]
    }),
  )
}

/** Parses messages, of which there must be one for each value of this number of bits. @throws VerificationError */
export function parseStatusMessages(messages: unknown, size: number): Map<number, string> {
  const { length } = Array.isArray(messages) ? messages : []
  const found = parseMessageList(messages)
  if (length !== 2 ** size)
    throw new VerificationError(`Its status has ${length} messages where ${2 ** size} values are possible`)
  return found
}
