import type { Knex } from 'knex'
import { uuidText } from '../../kernel/uuid.ts'
import { listAddress } from './status-lists.ts'
import { Doubt, type Json } from './verify.doubt.ts'
import { entriesOf, telling, type Entry } from './verify.status.entry.ts'
import { foreignList, type StatusList } from './verify.status.foreign.ts'
import type { Reach } from './verify.reach.ts'

/** Where this installation keeps the status of a credential of its own. */
export interface Place { pair: string; index: number }

/** What is known of a credential whose status is looked at. */
export interface StatusOwner {
  form: 'ld' | 'jwt'
  /** What the lists have to be issued by. */
  issuer: string
  /** Whose key signed it, where it is one here; undefined where no key is known. */
  organization: string | null | undefined
  place: Place | null
}

const ended: Record<string, string> = { revocation: 'It is revoked by its issuer', suspension: 'It is suspended by its issuer' }
const endOf = (purpose: string) => ended[purpose] ?? `Its issuer has set its status "${purpose}"`

/** Characters of a message. */
const longest = 100

/**
 * Whether a credential stands. Of one of ours both lists are asked, also the one that its form does not name. A value
 * other than none ends what it is about, but for messages and word of a newer version, which are told only.
 * @returns a sentence. @throws Doubt. Source: W3C Bitstring Status List 1.0, sections 2.1 and 3.2.
 */
export async function statusOf(reach: Reach, credential: Json, owner: StatusOwner): Promise<string> {
  const { entries, unknown } = entriesOf(credential, owner.form)
  const said: string[] = []
  for (const entry of entries) {
    const { value, words } = await valueOf(reach, entry, owner)
    if (!telling.includes(entry.purpose) && value !== 0) throw new Doubt(endOf(entry.purpose))
    if (entry.purpose === 'message') said.push(`Its issuer says of it: "${words.slice(0, longest)}"`)
    if (entry.purpose === 'refresh' && value !== 0) said.push('Its issuer has a newer version of it')
  }
  if (owner.place) await refuseAtPlace(reach.context.db, owner.place)
  const isKept = owner.place !== null || entries.some(({ purpose }) => !telling.includes(purpose))
  return [standing(isKept, unknown), ...said].join('. ')
}

function standing(isKept: boolean, unknown: number): string {
  if (unknown > 0 && !isKept) return 'Its status is of a kind that is not known here, and is passed over'
  if (unknown > 0) return 'It is neither revoked nor suspended; a status of another kind is passed over'
  return isKept ? 'It is neither revoked nor suspended' : 'It has no status: nobody can revoke it'
}

/** The value of an entry, and what it means. @throws Doubt */
async function valueOf(reach: Reach, entry: Entry, owner: StatusOwner): Promise<{ value: number; words: string }> {
  const { bits, messages } = await listOf(reach, entry, owner)
  if ((entry.index + 1) * entry.size > bits.length * 8) throw new Doubt('Its status has an index past the end of the list')
  const value = valueAt(bits, entry)
  return { value, words: messages?.get(value) ?? `0x${value.toString(16)}` }
}

async function listOf(reach: Reach, entry: Entry, { issuer, organization }: StatusOwner): Promise<StatusList> {
  const own = listAddress(reach.context, '')
  if (!entry.list.startsWith(own)) return foreignList(reach, entry, issuer)
  return { bits: await ownBits(reach.context.db, entry, entry.list.slice(own.length), organization), messages: null }
}

async function ownBits(db: Knex, { purpose, size }: Entry, id: string, organization: string | null | undefined): Promise<Buffer> {
  const row = uuidText.test(id)
    ? await db('status_lists').where({ id }).first<ListRow | undefined>('organization', 'purpose', 'bits')
    : undefined
  if (!row) throw new Doubt('Its status names a list of this installation that is not there')
  if (organization !== undefined && row.organization !== organization) throw new Doubt('Its status names a list of another issuer')
  if (row.purpose !== purpose) throw new Doubt('Its status names a list of another purpose')
  if (size !== 1) throw new Doubt('Its status list has entries of another size')
  return row.bits
}

interface ListRow { organization: string; purpose: string; bits: Buffer }

async function refuseAtPlace(db: Knex, { pair, index }: Place): Promise<void> {
  const lists = await db('status_lists').where({ pair }).orderBy('purpose').select<Omit<ListRow, 'organization'>[]>('purpose', 'bits')
  for (const { purpose, bits } of lists) if (valueAt(bits, { index, size: 1 }) !== 0) throw new Doubt(endOf(purpose))
}

/** The first bit is the highest of the first byte, and of an entry. Source: W3C Bitstring Status List 1.0, section 2.2. */
function valueAt(bits: Buffer, { index, size }: Pick<Entry, 'index' | 'size'>): number {
  let value = 0
  for (let at = index * size; at < (index + 1) * size; at++) value = value * 2 + (((bits[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
  return value
}
