import { isUrl } from './model.values.ts'
import { asList, Doubt, isObject, type Json } from './verify.doubt.ts'

/** Entries of one credential that are looked at, and bits that one may take. */
const most = { entries: 4, bits: 8 }

/** An entry of a status list, read. */
export interface Entry {
  /** What it is about: `revocation`, `suspension`, `message`, `refresh`, or a word of the issuer's own. */
  purpose: string
  /** Where its value stands in the list, in entries. */
  index: number
  /** Bits of its value. */
  size: number
  /** Where the list is read. */
  list: string
}

/** Purposes that tell something of a credential, and leave open whether it stands. */
export const telling = ['message', 'refresh']

/**
 * The status entries of a credential. Those of another kind than a Bitstring Status List are passed over in a token, as
 * its specification demands; of an embedded form nothing says so, and what cannot be judged is no good sign.
 * @throws Doubt for one that is malformed
 * Source: W3C Bitstring Status List 1.0, sections 2.1 and 3; W3C VC-JOSE-COSE, section 5.4.
 */
export function entriesOf({ credentialStatus }: Json, form: 'ld' | 'jwt'): { entries: Entry[]; unknown: number } {
  const all = asList(credentialStatus)
  if (all.length > most.entries) throw new Doubt(`It has more than ${most.entries} status entries`)
  const known = all.filter(isObject).filter(({ type }) => asList(type).includes('BitstringStatusListEntry'))
  if (known.length < all.length && form === 'ld') throw new Doubt('Its status is of a kind that is not known here', { unknown: true })
  return { entries: known.map(entryOf), unknown: all.length - known.length }
}

/** @throws Doubt */
function entryOf(entry: Json): Entry {
  const { id, statusPurpose: purpose, statusListIndex, statusListCredential: list, statusReference } = entry
  if (typeof purpose !== 'string' || purpose === '') throw new Doubt('Its status has no purpose')
  if (!isUrl(list)) throw new Doubt('Its status names no list')
  if (id !== undefined && (!isUrl(id) || id === list)) throw new Doubt('Its status has an id that is no URL, or that of the list')
  if (!asList(statusReference).every(isUrl)) throw new Doubt('Its status refers to what is no URL')
  return { purpose, index: indexOf(statusListIndex), size: sizeOf(entry), list }
}

/** W3C writes it as text, UNTP as a number. @throws Doubt */
function indexOf(value: unknown): number {
  const isIndex = typeof value === 'string' ? /^(0|[1-9]\d*)$/.test(value) : Number.isSafeInteger(value) && Number(value) >= 0
  if (!isIndex) throw new Doubt('Its status has no index')
  return Number(value)
}

/** @throws Doubt unless there is a message for each value of an entry of several bits */
function sizeOf({ statusSize: size = 1, statusMessage }: Json): number {
  if (typeof size !== 'number' || !Number.isInteger(size) || size < 1) throw new Doubt('Its status has a size that is no number of bits')
  if (size > most.bits) throw new Doubt(`Its status takes more than ${most.bits} bits, which are not read here`, { unknown: true })
  if (statusMessage !== undefined || size > 1) messagesFor(statusMessage, size)
  return size
}

/** A message of each value, by that value. @throws Doubt */
function messagesOf(messages: unknown): Map<number, string> {
  if (!Array.isArray(messages)) throw new Doubt('Its status has no list of messages')
  return new Map(messages.map((one) => {
    const { status, message }: Json = isObject(one) ? one : {}
    if (typeof status !== 'string' || !/^0x[\da-f]{1,8}$/i.test(status) || typeof message !== 'string') {
      throw new Doubt('Its status has a message without its value, or without its text')
    }
    return [Number(status), message]
  }))
}

/** The messages of as many values as so many bits have. @throws Doubt */
export function messagesFor(messages: unknown, size: number): Map<number, string> {
  const { length } = Array.isArray(messages) ? messages : []
  const found = messagesOf(messages)
  if (length !== 2 ** size) throw new Doubt(`Its status has ${length} messages where ${2 ** size} values are possible`)
  return found
}
