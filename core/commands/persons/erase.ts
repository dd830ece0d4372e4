import { randomBytes, randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { problem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { readReferences, readTables, type Table } from './catalogue.ts'
import { connectFor } from './connection.ts'
import { erasePieces } from './erase.pieces.ts'
import { rememberErased } from './erased.list.ts'
import { findPerson, termsOf, type Person, type Term } from './person.ts'
import { blankTerms, findRows, memberOf, readRows, slicesOf, termsIn, type Candidate } from './search.ts'

/** What was done, by table: rows that are gone and rows that no longer name the person. */
export interface Erased {
  deleted: Record<string, number>
  changed: Record<string, number>
  /** Rows of signed records that name the person; who signed them has to take them back. */
  remains: Record<string, number>
}

const batchRows = 500
/** Searches until nothing is found: rows may be written while others are searched. */
const maxPasses = 20

/** Tables whose rows go as a whole where this column names the person. */
const goes: Record<string, readonly string[]> = {
  messages: ['recipient'], verifications: ['identifier', 'value'], invitations: ['email'], idempotency: ['scope'],
}
/** Columns that become null: a made-up address could be somebody's. */
const emptied: Record<string, readonly string[]> = { passports: ['allowed_claim_email', 'allowed_claim_phone_number'] }
/** Stored answers that lose their body, and are read again instead: a name that was blanked in one could break its schema. A refusal has no such names. */
const isReadAgain = (table: string, column: string, { headers = '' }: Candidate['values']): boolean =>
  table === 'idempotency' && column === 'body' && !headers.includes('application/problem+json')
/** What was signed, or stands on a chain: a change would break what it proves. */
const signed = /^(?:passport_credentials|credential_contexts|status_lists|anchors|chain_\w+)$/

/**
 * Erases everything that tells of a person, and is done when a search finds nothing any more. Their wallets stay, under
 * identifiers that lead to nobody, so that what they own on a chain is owned by the same address. Doing it again does
 * nothing. Keyed hashes by which codes are counted end by themselves within the hour. @throws VALIDATION_FAILED for the only owner of an organization
 */
export async function erasePerson(context: Context, address: string): Promise<Erased> {
  const client = await connectFor(context)
  try {
    const person = await findPerson(client, address)
    await refuseLastOwner(client, person)
    // Before anything is gone: whoever tries again after a failure finds the person on the list.
    rememberErased(context.settings, person.addresses)
    const erased: Erased = { deleted: {}, changed: {}, remains: {} }
    await eraseUsers(client, person, erased)
    await eraseTexts(client, termsOf(person), erased)
    return erased
  } finally {
    await client.end()
  }
}

async function refuseLastOwner(client: Client, { users }: Person): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select o.name from members m join organizations o on o.id = m.organization_id
     where m.user_id = any($1::uuid[]) and m.role = 'owner' and not exists (
       select from members other where other.organization_id = o.id and other.role = 'owner' and other.user_id <> all($1::uuid[]))`,
    [users])
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(', ')
  throw problem('VALIDATION_FAILED', `This person is the only owner of ${names}: give it another owner first.`)
}

/** Users with all that goes with them, in one transaction. Of their accounts the wallets stay. */
async function eraseUsers(client: Client, { users }: Person, erased: Erased): Promise<void> {
  const references = (await readReferences(client)).filter(({ to, cascades }) => to === 'users' && cascades)
  await client.query('begin')
  for (const { table, column } of references) {
    const { rowCount } = await client.query(`delete from ${table} where ${column} = any($1::uuid[])`, [users])
    add(erased.deleted, table, rowCount)
  }
  const accounts = await client.query(
    `update accounts set user_id = null, name = null, birth_date = null, locale = null where user_id = any($1::uuid[])`, [users])
  add(erased.changed, 'accounts', accounts.rowCount)
  add(erased.deleted, 'users', (await client.query('delete from users where id = any($1::uuid[])', [users])).rowCount)
  await client.query('commit')
}

async function eraseTexts(client: Client, terms: readonly Term[], erased: Erased): Promise<void> {
  const token = tokensFor(terms)
  for (const table of await readTables(client)) {
    if (signed.test(table.shown)) {
      add(erased.remains, table.shown, (await matching(client, table, await findRows(client, table, terms), terms)).length)
      continue
    }
    for (let pass = 1; ; pass++) {
      let done = 0
      for (const places of slicesOf(await findRows(client, table, terms), batchRows)) {
        await client.query('begin')
        for (const row of await matching(client, table, places, terms, true)) {
          await eraseRow(client, table, row, terms, token, erased)
          done++
        }
        await client.query('commit')
      }
      if (done === 0) break
      if (pass === maxPasses) throw new Error(`Rows of ${table.shown} that name the person are written faster than erased`)
    }
  }
  add(erased.changed, 'import_pieces', await erasePieces(client, terms))
  await client.query('update idempotency set body_bytes = 0 where body is null and body_bytes > 0')
}

async function matching(
  client: Client, table: Table, places: readonly string[], terms: readonly Term[], lock = false,
): Promise<Candidate[]> {
  const rows = await readRows(client, table, places, lock)
  return rows.filter(({ values }) => Object.entries(values).some(([column, value]) => termsIn(memberOf(column) + value, terms).length > 0))
}

async function eraseRow(
  client: Client, { name, shown, columns }: Table, { at, values }: Candidate, terms: readonly Term[], token: (term: Term) => string,
  erased: Erased,
): Promise<void> {
  const named = columns.filter((column) => termsIn(memberOf(column.name) + (values[bare(column.name)] ?? ''), terms).length > 0)
  if (named.some((column) => goes[shown]?.includes(column.name))) {
    await client.query(`delete from ${name} where ctid = $1::tid`, [at])
    return add(erased.deleted, shown, 1)
  }
  const changes = named.map((column) => {
    const value = values[bare(column.name)] ?? ''
    if (emptied[shown]?.includes(column.name) || isReadAgain(shown, column.name, values)) return null
    return column.type === 'bytea' ? Buffer.from(blankTerms(value, terms), 'latin1') : without(memberOf(column.name), value, terms, token)
  })
  const set = named.map((column, index) => `${column.name} = $${index + 2}::${column.type}`).join(', ')
  await client.query(`update ${name} set ${set} where ctid = $1::tid`, [at, ...changes])
  add(erased.changed, shown, 1)
}

const bare = (column: string) => column.replace(/^"|"$/g, '')

/** What stands in the place of a name: the same for one user everywhere, another each time for an address. */
function tokensFor(terms: readonly Term[]): (term: Term) => string {
  const users = new Map(terms.filter(({ kind }) => kind === 'user').map(({ text }) => [text, randomUUID()]))
  return ({ text }) => users.get(text) ?? `erased-${randomBytes(6).toString('hex')}`
}

const without = (member: string, value: string, terms: readonly Term[], token: (term: Term) => string) =>
  terms.reduce((text, term) => text.replace(term.exact, () => token(term)), member + value).slice(member.length)

function add(counts: Record<string, number>, table: string, rows: number | null): void {
  if (rows !== null && rows > 0) counts[table] = (counts[table] ?? 0) + rows
}
