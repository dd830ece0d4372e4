import { randomBytes, randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { erasedAccountSql } from '../../features/accounts/index.ts'
import { cardErasureSql } from '../../features/loyalty/index.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { readReferences, readTables, type SearchedTable } from './catalogue.ts'
import { connectToDatabase } from './connection.ts'
import { erasePieces } from './erase.pieces.ts'
import { addErased } from './erased.list.ts'
import { findPerson, createTerms, type Person, type Term } from './person.ts'
import {
  blankTerms,
  findRows,
  getMemberPrefix,
  readRows,
  splitIntoSlices,
  findTerms,
  type Candidate,
} from './search.ts'

/** The result of an erasure, by table: rows that are deleted, and rows that no longer name the person. */
export interface ErasureReport {
  deleted: Record<string, number>
  changed: Record<string, number>
  /** Rows of signed records that name the person. The signers have to withdraw them. */
  remains: Record<string, number>
}

const batchSize = 500
/**
 * Maximum number of searches in a table. The search is repeated until it finds nothing, as rows may be written
 * meanwhile.
 */
const maxPasses = 20

/** The columns whose row is deleted as a whole if the column names the person, by table. */
const deletingColumns: Record<string, readonly string[]> = {
  messages: ['recipient'],
  verifications: ['identifier', 'value'],
  invitations: ['email'],
  account_assignments: ['email', 'phone_number'],
  claim_requests: ['email', 'phone_number', 'text'],
  idempotency: ['scope'],
}
/** The columns that become null, by table. A made-up address could belong to another person. */
const nulledColumns: Record<string, readonly string[]> = {
  passports: ['allowed_claim_email', 'allowed_claim_phone_number'],
  passport_reports: ['email'],
  passport_offers: ['to_email', 'to_phone_number'],
  pos_orders: ['email', 'phone_number'],
  // The chain of the trail has salted hashes of these, so it still verifies.
  audit_trail: ['actor_id', 'actor_label', 'address', 'request_id', 'target_label'],
}
/**
 * Returns whether a stored answer loses its body and is read again instead, because a blanked name in the body could
 * break its schema. The body of a problem stays, because problems contain no such names.
 */
const isBodyReadAgain = (table: string, column: string, { headers = '' }: Candidate['values']): boolean =>
  table === 'idempotency' && column === 'body' && !headers.includes('application/problem+json')
/** The tables whose content is signed, stands on a chain or is append-only. A change would break what it proves. */
const signedTables = /^(?:passport_credentials|credential_contexts|status_lists|anchors|chain_\w+|ledger_\w+)$/

/**
 * Erases everything that names a person, until a search finds nothing more. The person's wallets stay under identifiers
 * that lead to nobody, so that the person's tokens on a chain keep the same owner. A second erasure changes nothing.
 * The keyed hashes by which codes are counted expire within an hour.
 * @throws VALIDATION_FAILED for the only owner of an organization that was not deleted
 */
export async function erasePerson(context: Context, address: string): Promise<ErasureReport> {
  const client = await connectToDatabase(context)
  try {
    const person = await findPerson(client, address)
    await assertNotLastOwner(client, person)
    // The list comes before any deletion, so that a retry after a failure finds the person on the list.
    addErased(context.settings, person.addresses)
    const erased: ErasureReport = { deleted: {}, changed: {}, remains: {} }
    await eraseUsers(client, person, erased)
    await eraseTexts(client, createTerms(person), erased)
    return erased
  } finally {
    await client.end()
  }
}

async function assertNotLastOwner(client: Client, { users }: Person): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select o.name from members m join organizations o on o.id = m.organization_id
     where m.user_id = any($1::uuid[]) and m.role = 'owner' and o.deleted_at is null and not exists (
       select from members other where other.organization_id = o.id and other.role = 'owner' and other.user_id <> all($1::uuid[]))`,
    [users],
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(', ')
  throw createProblem('VALIDATION_FAILED', `This person is the only owner of ${names}: give it another owner first.`)
}

/**
 * Deletes the person's users and everything that belongs to them, in one transaction. The wallets of their accounts
 * stay.
 */
async function eraseUsers(client: Client, { users }: Person, erased: ErasureReport): Promise<void> {
  const references = (await readReferences(client)).filter(({ to, cascades }) => to === 'users' && cascades)
  await client.query('begin')
  for (const { table, column } of references) {
    const { rowCount } = await client.query(`delete from ${table} where ${column} = any($1::uuid[])`, [users])
    addCount(erased.deleted, table, rowCount)
  }
  const accounts = await client.query<{ id: string }>(
    `update accounts set ${erasedAccountSql} where user_id = any($1::uuid[]) returning id`,
    [users],
  )
  for (const statement of cardErasureSql) await client.query(statement, [accounts.rows.map(({ id }) => id)])
  addCount(erased.changed, 'accounts', accounts.rowCount)
  addCount(
    erased.deleted,
    'users',
    (await client.query('delete from users where id = any($1::uuid[])', [users])).rowCount,
  )
  await client.query('commit')
}

async function eraseTexts(client: Client, terms: readonly Term[], erased: ErasureReport): Promise<void> {
  const replacements = createReplacements(terms)
  for (const table of await readTables(client)) {
    if (signedTables.test(table.shown)) {
      addCount(
        erased.remains,
        table.shown,
        (await readMatchingRows(client, table, await findRows(client, table, terms), terms)).length,
      )
      continue
    }
    for (let pass = 1; ; pass++) {
      let erasedRows = 0
      for (const places of splitIntoSlices(await findRows(client, table, terms), batchSize)) {
        await client.query('begin')
        for (const row of await readMatchingRows(client, table, places, terms, true)) {
          await eraseRow(client, table, row, replacements, erased)
          erasedRows++
        }
        await client.query('commit')
      }
      if (erasedRows === 0) break
      if (pass === maxPasses)
        throw new Error(`Rows of ${table.shown} that name the person are written faster than erased`)
    }
  }
  addCount(erased.changed, 'import_pieces', await erasePieces(client, terms))
  await client.query('update idempotency set body_bytes = 0 where body is null and body_bytes > 0')
}

async function readMatchingRows(
  client: Client,
  table: SearchedTable,
  places: readonly string[],
  terms: readonly Term[],
  lock = false,
): Promise<Candidate[]> {
  const rows = await readRows(client, table, places, lock)
  return rows.filter(({ values }) =>
    Object.entries(values).some(([column, value]) => findTerms(getMemberPrefix(column) + value, terms).length > 0),
  )
}

async function eraseRow(
  client: Client,
  { name, shown, columns }: SearchedTable,
  { at, values }: Candidate,
  replacements: Replacements,
  erased: ErasureReport,
): Promise<void> {
  const { terms } = replacements
  const named = columns.filter(
    (column) => findTerms(getMemberPrefix(column.name) + (values[unquoteName(column.name)] ?? ''), terms).length > 0,
  )
  if (named.some((column) => deletingColumns[shown]?.includes(column.name))) {
    await client.query(`delete from ${name} where ctid = $1::tid`, [at])
    return addCount(erased.deleted, shown, 1)
  }
  const changes = named.map((column) => {
    const value = values[unquoteName(column.name)] ?? ''
    if (nulledColumns[shown]?.includes(column.name) || isBodyReadAgain(shown, column.name, values)) return null
    return column.type === 'bytea'
      ? Buffer.from(blankTerms(value, terms), 'latin1')
      : replaceTerms(getMemberPrefix(column.name), value, replacements)
  })
  const set = named.map((column, index) => `${column.name} = $${index + 2}::${column.type}`).join(', ')
  await client.query(`update ${name} set ${set} where ctid = $1::tid`, [at, ...changes])
  addCount(erased.changed, shown, 1)
}

const unquoteName = (column: string) => column.replace(/^"|"$/g, '')

/** The terms that name a person, and the replacement of each. */
interface Replacements {
  terms: readonly Term[]
  /** Creates a replacement: the same text for a user everywhere, a new text each time for an address. */
  createToken: (term: Term) => string
}

function createReplacements(terms: readonly Term[]): Replacements {
  const users = new Map(terms.filter(({ kind }) => kind === 'user').map(({ text }) => [text, randomUUID()]))
  return { terms, createToken: ({ text }) => users.get(text) ?? `erased-${randomBytes(6).toString('hex')}` }
}

const replaceTerms = (member: string, value: string, { terms, createToken }: Replacements) =>
  terms.reduce((text, term) => text.replace(term.pattern, () => createToken(term)), member + value).slice(member.length)

function addCount(counts: Record<string, number>, table: string, rows: number | null): void {
  if (rows !== null && rows > 0) counts[table] = (counts[table] ?? 0) + rows
}
