import type { Knex } from 'knex'
import { uuidPattern } from '../../../kernel/text/uuid.ts'
import { getStatusListAddress } from '../status-lists/index.ts'
import { type JsonObject, VerificationError } from '../formats/index.ts'
import { parseStatusEntries, informativePurposes, type StatusEntry } from './verify.status.entry.ts'
import { fetchForeignList, type StatusList } from './verify.status.foreign.ts'
import type { VerificationFetcher } from '../contexts/index.ts'

/** The position at which this installation keeps the status of one of its own credentials. */
export interface StatusListPosition {
  pair: string
  index: number
}

/** What the check of a status has to know about the credential. */
export interface StatusCheckFacts {
  form: 'ld' | 'jwt'
  /** The issuer that the lists must have. */
  issuer: string
  /**
   * The organization whose key signed the credential; null if it is none of this installation, undefined if no key is
   * known.
   */
  organization: string | null | undefined
  statusPosition: StatusListPosition | null
}

const endedWords: Record<string, string> = {
  revocation: 'It is revoked by its issuer',
  suspension: 'It is suspended by its issuer',
}
const describeEnd = (purpose: string) => endedWords[purpose] ?? `Its issuer has set its status "${purpose}"`

/** Maximum length of a message. */
const maxMessageLength = 100

/**
 * Checks whether a credential is revoked or suspended. For a credential of our own both lists are checked, also the one
 * that its form does not name. Every value except 0 means that the credential is no longer valid; values for messages
 * and newer versions are only mentioned.
 * @returns a sentence
 * @throws VerificationError
 * Source: W3C Bitstring Status List 1.0, sections 2.1 and 3.2.
 */
export async function checkStatus(
  fetcher: VerificationFetcher,
  credential: JsonObject,
  facts: StatusCheckFacts,
): Promise<string> {
  const { entries, unknown } = parseStatusEntries(credential, facts.form)
  const sentences: string[] = []
  for (const entry of entries) {
    const { value, words } = await readStatusValue(fetcher, entry, facts)
    if (!informativePurposes.includes(entry.purpose) && value !== 0)
      throw new VerificationError(describeEnd(entry.purpose))
    if (entry.purpose === 'message') sentences.push(`Its issuer says of it: "${words.slice(0, maxMessageLength)}"`)
    if (entry.purpose === 'refresh' && value !== 0) sentences.push('Its issuer has a newer version of it')
  }
  if (facts.statusPosition) await assertStatusClear(fetcher.context.db, facts.statusPosition)
  const hasStatus =
    facts.statusPosition !== null || entries.some(({ purpose }) => !informativePurposes.includes(purpose))
  return [describeStanding(hasStatus, unknown), ...sentences].join('. ')
}

function describeStanding(hasStatus: boolean, unknown: number): string {
  if (unknown > 0 && !hasStatus) return 'Its status is of a kind that is not known here, and is passed over'
  if (unknown > 0) return 'It is neither revoked nor suspended; a status of another kind is passed over'
  return hasStatus ? 'It is neither revoked nor suspended' : 'It has no status: nobody can revoke it'
}

/** Reads the value of an entry, and its meaning. @throws VerificationError */
async function readStatusValue(
  fetcher: VerificationFetcher,
  entry: StatusEntry,
  facts: StatusCheckFacts,
): Promise<{ value: number; words: string }> {
  const { bits, messages } = await readStatusList(fetcher, entry, facts)
  if ((entry.index + 1) * entry.size > bits.length * 8)
    throw new VerificationError('Its status has an index past the end of the list')
  const value = getStatusValue(bits, entry)
  return { value, words: messages?.get(value) ?? `0x${value.toString(16)}` }
}

async function readStatusList(
  fetcher: VerificationFetcher,
  entry: StatusEntry,
  { issuer, organization }: StatusCheckFacts,
): Promise<StatusList> {
  const own = getStatusListAddress(fetcher.context, '')
  if (!entry.list.startsWith(own)) return fetchForeignList(fetcher, entry, issuer)
  return {
    bits: await readOwnBits(fetcher.context.db, entry, entry.list.slice(own.length), organization),
    messages: null,
  }
}

async function readOwnBits(
  db: Knex,
  { purpose, size }: StatusEntry,
  id: string,
  organization: string | null | undefined,
): Promise<Buffer> {
  const row = uuidPattern.test(id)
    ? await db('status_lists').where({ id }).first<ListRow | undefined>('organization', 'purpose', 'bits')
    : undefined
  if (!row) throw new VerificationError('Its status names a list of this installation that is not there')
  if (organization !== undefined && row.organization !== organization)
    throw new VerificationError('Its status names a list of another issuer')
  if (row.purpose !== purpose) throw new VerificationError('Its status names a list of another purpose')
  if (size !== 1) throw new VerificationError('Its status list has entries of another size')
  return row.bits
}

interface ListRow {
  organization: string
  purpose: string
  bits: Buffer
}

async function assertStatusClear(db: Knex, { pair, index }: StatusListPosition): Promise<void> {
  const lists = await db('status_lists')
    .where({ pair })
    .orderBy('purpose')
    .select<Omit<ListRow, 'organization'>[]>('purpose', 'bits')
  for (const { purpose, bits } of lists)
    if (getStatusValue(bits, { index, size: 1 }) !== 0) throw new VerificationError(describeEnd(purpose))
}

/**
 * Returns the value of an entry. The highest bit of the first byte comes first, and the first bit of an entry is its
 * highest. Source: W3C Bitstring Status List 1.0, section 2.2.
 */
function getStatusValue(bits: Buffer, { index, size }: Pick<StatusEntry, 'index' | 'size'>): number {
  let value = 0
  for (let at = index * size; at < (index + 1) * size; at++)
    value = value * 2 + (((bits[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
  return value
}
