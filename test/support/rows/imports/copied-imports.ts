import { createReadStream, createWriteStream, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

/** What an import has stored, kept as files, to be put back into its tables by COPY: the fastest way that there is. */
export interface CopiedImport {
  /** Leaves the models alone in the tables, as before the import. */
  emptyTables(): Promise<void>
  /** Copies what the import stored into the emptied tables, in one transaction. @returns the seconds that it took */
  copyBack(): Promise<number>
}

const columns = {
  passports: `id, organization, application, sheet, network, source, reference, fields, data, product, certified_paths,
    certificate_uri, allowed_claim_email, allowed_claim_phone_number, structure_job, structure_job_status, created_at, updated_at`,
  events: 'id, organization, application, application_name, subject, type, passport, created_at',
}

const items = "product ->> 'idGranularity' = 'item'"

/** Keeps the items that imports stored as files, and the models that were there before as a table of this connection. */
export async function keepImportedItems(database: pg.Client, folder: string): Promise<CopiedImport> {
  mkdirSync(folder)
  const files = { passports: join(folder, 'passports'), events: join(folder, 'events') }
  const out = (what: string, file: string) =>
    pipeline(database.query(copyTo(`copy (${what}) to stdout`)), createWriteStream(file))
  await out(`select ${columns.passports} from passports where ${items} order by id`, files.passports)
  await out(
    `select ${columns.events} from events where type = 'create'
    and (passport ->> 'id')::uuid in (select id from passports where ${items}) order by id`,
    files.events,
  )
  await database.query(`create temp table models as select * from passports where not (${items})`)
  if (statSync(files.events).size === 0) throw new Error('The imports have left no events')
  const into = (table: keyof typeof columns) =>
    pipeline(
      createReadStream(files[table], { highWaterMark: 256 * 1024 }),
      database.query(copyFrom(`copy ${table} (${columns[table]}) from stdin`)),
    )
  return {
    async emptyTables() {
      await database.query('truncate passports, events, passport_counts cascade')
      await database.query(`insert into passports (${columns.passports}) select ${columns.passports} from models`)
    },
    async copyBack() {
      const began = performance.now()
      await database.query('begin')
      await into('passports')
      await into('events')
      await database.query('commit')
      return (performance.now() - began) / 1_000
    },
  }
}

/**
 * Fills the log of the database once, as that of a server that has run for a while: a new segment costs its first
 * writer much more than one that is used again, and whoever is measured second would have the advantage.
 */
export async function warmLog(database: pg.Client): Promise<void> {
  for (let written = 0; written < 2_560; written += 16) {
    await database.query(`select pg_logical_emit_message(false, 'warm', repeat('x', 16 * 1024 * 1024))`)
  }
}
