import { expect } from 'chai'
import type { Knex } from 'knex'

/** Reads the number of the present transaction, with which `listRowsNaming` begins to look. */
export async function readTransactionNumber(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ id: string }] }>('select pg_current_xact_id()::text as id')
  return rows[0].id
}

/**
 * Lists the rows that name any of these words, whatever the letters' case, of all tables that the platform can read as
 * text: one line each with the name of its table; bytes as they read. Only rows count that were written since a
 * transaction, as other tests of the run leave many megabytes.
 */
export async function listRowsNaming(
  db: Knex,
  words: readonly string[],
  { since }: { since: string },
): Promise<string[]> {
  const tables = await listReadableTables(db)
  expect(tables.length).to.be.above(30)
  const patterns = words.map((word) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)
  const lines = await Promise.all(
    tables.map(async ({ name, bytes }) => {
      const shown = [
        't::text',
        ...(bytes ?? []).map((column) => `coalesce(replace(encode(t.${column}, 'escape'), '\\000', ''), '')`),
      ].join(` || ' ' || `)
      const { rows } = await db.raw<{ rows: { line: string }[] }>(
        `select line from (select ${shown} as line from ${name} t where t.xmin::text::bigint >= ?::bigint) as lines
         where lower(line) like any (?::text[])`,
        [since, patterns],
      )
      return rows.map(({ line }) => `${name}: ${line}`)
    }),
  )
  return lines.flat()
}

interface ReadableTable {
  name: string
  /** Its columns of bytes; null if it has none. */
  bytes: string[] | null
}

async function listReadableTables(db: Knex): Promise<ReadableTable[]> {
  const { rows } = await db.raw<{ rows: ReadableTable[] }>(
    `select c.oid::regclass::text as name, array_agg(quote_ident(a.attname)) filter (where a.atttypid = 'bytea'::regtype) as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and has_schema_privilege(n.oid, 'usage') group by 1`,
  )
  return rows
}
