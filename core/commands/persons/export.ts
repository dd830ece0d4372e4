import type { Client } from 'pg'
import type { Context } from '../../kernel/work.ts'
import { readReferences, readTables, type SearchedTable } from './catalogue.ts'
import { connectToDatabase } from './connection.ts'
import { findPerson, createTerms, type Person, type Term } from './person.ts'
import { findRows, getMemberPrefix, splitIntoSlices, findTerms } from './search.ts'

type Row = Record<string, unknown>

/** Everything that is stored about a person. */
export interface PersonExport extends Person {
  exportedAt: string
  /** Rows that belong to the person, by table, without secrets. */
  rows: Record<string, Row[]>
  /**
   * Other rows that name the person. Only columns that identify the row are given, because the row may name other
   * persons.
   */
  mentions: { table: string; row: Row; column: string; times: number }[]
}

const batchSize = 500
/** The columns whose values give access to something. The values say nothing about the person. */
const secretColumns = new Set([
  'token',
  'password',
  'access_token',
  'refresh_token',
  'id_token',
  'value',
  'key',
  'sealed',
  'jti',
  'lease_holder',
  'holder',
])
/** The columns that identify a row. */
const identifyingColumns = [
  'id',
  'job',
  'passport',
  'upload',
  'place',
  'line',
  'organization',
  'application',
  'operation',
  'created_at',
]

/** Collects everything that is stored about a person, from all tables. Changes nothing. */
export async function exportPerson(context: Context, address: string): Promise<PersonExport> {
  const client = await connectToDatabase(context)
  try {
    // One snapshot is read, so that rows that move meanwhile are neither missed nor exported twice.
    await client.query('begin isolation level repeatable read read only')
    const person = await findPerson(client, address)
    const personExport: PersonExport = { ...person, exportedAt: new Date().toISOString(), rows: {}, mentions: [] }
    const references = await readReferences(client)
    for (const table of await readTables(client)) {
      const own = references
        .filter((reference) => reference.table === table.name)
        .map(({ column, to }) => ({ column, ids: to === 'users' ? person.users : person.accounts }))
      await exportTable(client, table, own, createTerms(person), personExport)
    }
    await exportEvents(client, personExport)
    return personExport
  } finally {
    await client.end()
  }
}

async function exportTable(
  client: Client,
  table: SearchedTable,
  own: readonly { column: string; ids: readonly string[] }[],
  terms: readonly Term[],
  target: PersonExport,
): Promise<void> {
  const places = new Set(await findRows(client, table, terms))
  for (const { column, ids } of own) {
    const { rows } = await client.query<{ at: string }>(
      `select ctid::text as at from ${table.name} where ${column} = any($1::uuid[])`,
      [ids],
    )
    for (const { at } of rows) places.add(at)
  }
  for (const some of splitIntoSlices([...places], batchSize)) {
    const { rows } = await client.query<Row>(`select * from ${table.name} where ctid = any($1::tid[])`, [some])
    for (const row of rows) {
      const isOwn =
        own.some(({ column, ids }) => ids.includes(String(row[column])))
        || Object.values(row).some((value) => isWhole(value, target))
      if (isOwn) (target.rows[table.shown] ??= []).push(presentRow(row))
      else target.mentions.push(...listMentions(table.shown, row, terms))
    }
  }
}

/** Checks whether a value is an address or id of the person, and not a text that mentions the person. */
function isWhole(value: unknown, { addresses, users, accounts }: Person): boolean {
  if (typeof value !== 'string') return false
  return (
    addresses.includes(value.toLowerCase())
    || [...users, ...accounts].some((id) => value === id || value.endsWith(`:${id}`))
  )
}

/** Adds the events of passports that are addressed to the person or belong to the person. */
async function exportEvents(client: Client, found: PersonExport): Promise<void> {
  const passports = (found.rows['passports'] ?? []).map(({ id }) => id)
  const { rows } = await client.query<Row>(
    'select id, subject, type, passport_id, created_at from events where passport_id = any($1::uuid[]) order by id',
    [passports],
  )
  if (rows.length > 0) (found.rows['events'] ??= []).push(...rows)
}

function listMentions(table: string, row: Row, terms: readonly Term[]): PersonExport['mentions'] {
  const which = Object.fromEntries(
    identifyingColumns.filter((name) => row[name] !== undefined && row[name] !== null).map((name) => [name, row[name]]),
  )
  return Object.entries(row).flatMap(([column, value]) => {
    const text = getMemberPrefix(column) + toText(value)
    const times = findTerms(text, terms).reduce((sum, { pattern }) => sum + (text.match(pattern)?.length ?? 0), 0)
    return times === 0 ? [] : [{ table, row: which, column, times }]
  })
}

function toText(value: unknown): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1')
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
}

const presentRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (secretColumns.has(column) && value !== null) return [column, 'not shown: a secret']
      return [column, Buffer.isBuffer(value) ? presentBytes(value) : value]
    }),
  )

/** Converts bytes for the export. Most stored bodies are text; all others are exported in base64. */
function presentBytes(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) && !/\0/.test(text) ? text : { base64: bytes.toString('base64') }
}
