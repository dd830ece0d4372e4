import { expect } from 'chai'
import { runAdmin } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'
import { getOperator } from '../../identity/people.ts'

export const admin = (...args: string[]) => runAdmin(platform.dataDir, ...args, '--json')

/** What a command answers that has to succeed. */
export async function done(...args: string[]) {
  const { code, err, json } = await admin(...args)
  expect(code, err).to.equal(0)
  return json
}

/**
 * Rows that name any of these, whatever the letters' case, of all tables that the platform can read as text: one line
 * each with the name of its table; bytes as they read. Looked for where these tests can have written: in rows since their
 * first transaction, as other tests of the run leave many megabytes.
 */
export async function namedIn(...words: string[]): Promise<string[]> {
  const { db } = await getOperator()
  const { rows: tables } = await db.raw<{ rows: { name: string; bytes: string[] | null }[] }>(
    `select c.oid::regclass::text as name, array_agg(quote_ident(a.attname)) filter (where a.atttypid = 'bytea'::regtype) as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and has_schema_privilege(n.oid, 'usage') group by 1`,
  )
  expect(tables.length).to.be.above(30)
  const lines = await Promise.all(
    tables.map(async ({ name, bytes }) => {
      const shown = [
        't::text',
        ...(bytes ?? []).map((column) => `coalesce(replace(encode(t.${column}, 'escape'), '\\000', ''), '')`),
      ].join(` || ' ' || `)
      const { rows } = await db.raw<{ rows: { line: string }[] }>(
        `select line from (select ${shown} as line from ${name} t where t.xmin::text::bigint >= ?::bigint) as lines
       where lower(line) like any (?::text[])`,
        [begun, words.map((word) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)],
      )
      return rows.map(({ line }) => `${name}: ${line}`)
    }),
  )
  return lines.flat()
}

/** The transaction before which nothing of these tests was written. */
let begun = '0'

/** Tells that what these tests write begins now. */
export async function beginRows(): Promise<void> {
  const { db } = await getOperator()
  const {
    rows: [now],
  } = await db.raw<{ rows: { id: string }[] }>('select pg_current_xact_id()::text as id')
  begun = now?.id ?? begun
}
