import type { Knex } from 'knex'

interface StoredMapper {
  headers: Buffer | null
  etag: string | null
}

async function readMapper(db: Knex, id: string): Promise<StoredMapper> {
  const row = await db('import_mappers').where({ id }).first<StoredMapper | undefined>('headers', 'etag')
  if (!row) throw new Error(`There is no mapper ${id}`)
  return row
}

/** Reads the headers of a mapper as they are kept, sealed: answers show their names alone. */
export async function readSealedHeaders(db: Knex, id: string): Promise<Buffer | null> {
  return (await readMapper(db, id)).headers
}

/** Reads the ETag that a mapper remembers of its source, which no answer shows. */
export async function readSourceEtag(db: Knex, id: string): Promise<string | null> {
  return (await readMapper(db, id)).etag
}

/** Lets a mapper remember an ETag of its source, as after a run that took everything. */
export async function rememberSourceEtag(db: Knex, id: string, etag: string): Promise<void> {
  await db('import_mappers').where({ id }).update({ etag })
}

/** Moves the next run of mappers to this many minutes from now, below zero to a time that has passed unseen. */
export async function moveNextRun(
  db: Knex,
  mappers: readonly string[],
  { minutes }: { minutes: number },
): Promise<void> {
  await db('import_mappers')
    .whereIn('id', mappers)
    .update({ next_run_at: db.raw('now() + make_interval(mins => ?)', [minutes]) })
}
