import type { Client } from 'pg'
import type { Context } from '../../kernel/work.ts'
import { readReferences, readTables, type Table } from './catalogue.ts'
import { connectFor } from './connection.ts'
import { findPerson, termsOf, type Person, type Term } from './person.ts'
import { findRows, memberOf, slicesOf, termsIn } from './search.ts'

type Row = Record<string, unknown>

/** Everything that is held about a person. */
export interface PersonExport extends Person {
  exportedAt: string
  /** Rows that are the person's own, by table, without secrets. */
  rows: Record<string, Row[]>
  /** Rows of others that name the person: where, and no more, as others may be in them. */
  mentions: { table: string; row: Row; column: string; times: number }[]
}

const batchRows = 500
/** Columns whose values open something; they say nothing of the person. */
const secrets = new Set(['token', 'password', 'access_token', 'refresh_token', 'id_token', 'value', 'key', 'sealed', 'jti', 'lease_holder', 'holder'])
/** Columns that say which row it is. */
const names = ['id', 'job', 'passport', 'upload', 'place', 'line', 'organization', 'application', 'operation', 'created_at']

/** Collects everything that is held about a person, of every table that there is. Changes nothing. */
export async function exportPerson(context: Context, address: string): Promise<PersonExport> {
  const client = await connectFor(context)
  try {
    // One snapshot, so that what moves meanwhile is neither missed nor told twice.
    await client.query('begin isolation level repeatable read read only')
    const person = await findPerson(client, address)
    const found: PersonExport = { ...person, exportedAt: new Date().toISOString(), rows: {}, mentions: [] }
    const references = await readReferences(client)
    for (const table of await readTables(client)) {
      const own = references.filter((reference) => reference.table === table.name)
        .map(({ column, to }) => ({ column, ids: to === 'users' ? person.users : person.accounts }))
      await exportTable(client, table, own, termsOf(person), found)
    }
    await exportEvents(client, found)
    return found
  } finally {
    await client.end()
  }
}

async function exportTable(
  client: Client, table: Table, own: readonly { column: string; ids: readonly string[] }[], terms: readonly Term[], found: PersonExport,
): Promise<void> {
  const places = new Set(await findRows(client, table, terms))
  for (const { column, ids } of own) {
    const { rows } = await client.query<{ at: string }>(
      `select ctid::text as at from ${table.name} where ${column} = any($1::uuid[])`, [ids])
    for (const { at } of rows) places.add(at)
  }
  for (const some of slicesOf([...places], batchRows)) {
    const { rows } = await client.query<Row>(`select * from ${table.name} where ctid = any($1::tid[])`, [some])
    for (const row of rows) {
      const isOwn = own.some(({ column, ids }) => ids.includes(String(row[column]))) || Object.values(row).some((value) => isWhole(value, found))
      if (isOwn) (found.rows[table.shown] ??= []).push(shownRow(row))
      else found.mentions.push(...mentionsOf(table.shown, row, terms))
    }
  }
}

/** Whether a value is the person, and not a text in which the person is named. */
function isWhole(value: unknown, { addresses, users, accounts }: Person): boolean {
  if (typeof value !== 'string') return false
  return addresses.includes(value.toLowerCase()) || [...users, ...accounts].some((id) => value === id || value.endsWith(`:${id}`))
}

/** What happened to the passports that are addressed to the person or theirs. */
async function exportEvents(client: Client, found: PersonExport): Promise<void> {
  const passports = (found.rows['passports'] ?? []).map(({ id }) => id)
  const { rows } = await client.query<Row>(
    'select id, subject, type, passport_id, created_at from events where passport_id = any($1::uuid[]) order by id', [passports])
  if (rows.length > 0) (found.rows['events'] ??= []).push(...rows)
}

function mentionsOf(table: string, row: Row, terms: readonly Term[]): PersonExport['mentions'] {
  const which = Object.fromEntries(names.filter((name) => row[name] !== undefined && row[name] !== null).map((name) => [name, row[name]]))
  return Object.entries(row).flatMap(([column, value]) => {
    const text = memberOf(column) + textOf(value)
    const times = termsIn(text, terms).reduce((sum, { exact }) => sum + (text.match(exact)?.length ?? 0), 0)
    return times === 0 ? [] : [{ table, row: which, column, times }]
  })
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1')
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
}

const shownRow = (row: Row): Row => Object.fromEntries(Object.entries(row).map(([column, value]) => {
  if (secrets.has(column) && value !== null) return [column, 'not shown: a secret']
  return [column, Buffer.isBuffer(value) ? shownBytes(value) : value]
}))

/** A body that is kept as bytes is most often text. */
function shownBytes(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) && !/\0/.test(text) ? text : { base64: bytes.toString('base64') }
}
