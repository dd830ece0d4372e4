import type { Knex } from 'knex'
import { uuidText } from '../../kernel/uuid.ts'
import { listAddress } from './status-lists.ts'
import { asList, Doubt, isObject, type Json } from './verify.doubt.ts'
import { foreignBits, type Entry } from './verify.status.foreign.ts'
import type { Reach } from './verify.reach.ts'

/** Where this installation keeps the status of a credential of its own. */
export interface Place { pair: string; index: number }

/** Entries of one credential that are looked at. */
const mostEntries = 4

const told = { revocation: 'It is revoked by its issuer', suspension: 'It is suspended by its issuer' }

/**
 * Whether a credential stands. Of one of ours both lists are asked, also the one that its form does not name.
 * @param issuer what the lists have to be issued by. @param organization whose key signed it, where it is one here; undefined where no key is known
 * @returns a sentence. @throws Doubt. Source: W3C Bitstring Status List 1.0, section 3.2.
 */
export async function statusOf(
  reach: Reach, credential: Json, { issuer, organization, place }: { issuer: string; organization: string | null | undefined; place: Place | null },
): Promise<string> {
  const entries = entriesOf(credential)
  for (const entry of entries) {
    const bits = await bitsOf(reach, entry, { issuer, organization })
    if (isSet(bits, entry.index)) throw new Doubt(told[entry.purpose])
  }
  if (place) await refuseAtPlace(reach.context.db, place)
  return entries.length === 0 ? 'It has no status: nobody can revoke it' : 'It is neither revoked nor suspended'
}

/** @throws Doubt */
function entriesOf({ credentialStatus }: Json): Entry[] {
  const entries = asList(credentialStatus)
  if (entries.length > mostEntries) throw new Doubt(`It has more than ${mostEntries} status entries`)
  return entries.map(entryOf).filter((entry) => entry !== null)
}

/** @returns null for a purpose that says nothing of whether a credential stands. @throws Doubt */
function entryOf(entry: unknown): Entry | null {
  if (!isObject(entry) || entry['type'] !== 'BitstringStatusListEntry') throw new Doubt('Its status is of a kind that is not known here')
  const { statusPurpose: purpose, statusListIndex, statusListCredential: list, statusSize = 1 } = entry
  if (purpose === 'message' || purpose === 'refresh') return null
  if (purpose !== 'revocation' && purpose !== 'suspension') throw new Doubt('Its status has a purpose that is not known here')
  const index = /^(0|[1-9]\d{0,8})$/.test(String(statusListIndex)) ? Number(statusListIndex) : -1
  if (index < 0) throw new Doubt('Its status has no index')
  if (typeof list !== 'string') throw new Doubt('Its status names no list')
  if (statusSize !== 1) throw new Doubt('Its status takes more than one bit, which is not known here')
  return { purpose, index, list }
}

/** @throws Doubt */
async function bitsOf(reach: Reach, entry: Entry, by: { issuer: string; organization: string | null | undefined }): Promise<Buffer> {
  const own = listAddress(reach.context, '')
  const bits = entry.list.startsWith(own)
    ? await ownBits(reach.context.db, entry, entry.list.slice(own.length), by.organization)
    : await foreignBits(reach, entry, by.issuer)
  if (entry.index >= bits.length * 8) throw new Doubt('Its status has an index past the end of the list')
  return bits
}

async function ownBits(db: Knex, { purpose }: Entry, id: string, organization: string | null | undefined): Promise<Buffer> {
  const row = uuidText.test(id)
    ? await db('status_lists').where({ id }).first<ListRow | undefined>('organization', 'purpose', 'bits')
    : undefined
  if (!row) throw new Doubt('Its status names a list of this installation that is not there')
  if (organization !== undefined && row.organization !== organization) throw new Doubt('Its status names a list of another issuer')
  if (row.purpose !== purpose) throw new Doubt('Its status names a list of another purpose')
  return row.bits
}

interface ListRow { organization: string; purpose: Entry['purpose']; bits: Buffer }

async function refuseAtPlace(db: Knex, { pair, index }: Place): Promise<void> {
  const lists = await db('status_lists').where({ pair }).orderBy('purpose').select<Omit<ListRow, 'organization'>[]>('purpose', 'bits')
  for (const { purpose, bits } of lists) if (isSet(bits, index)) throw new Doubt(told[purpose])
}

/** The first bit is the highest of the first byte. Source: W3C Bitstring Status List 1.0, section 2.2. */
const isSet = (bits: Buffer, index: number) => ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
