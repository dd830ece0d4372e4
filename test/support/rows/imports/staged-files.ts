import type { Knex } from 'knex'
import { v7 } from 'uuid'

/** Inserts a staged file in pieces of any size; a file that is uploaded has pieces of one size. @returns its id */
export async function insertStagedFile(
  db: Knex,
  { organization, pieces }: { organization: string; pieces: readonly Buffer[] },
): Promise<string> {
  const id = v7()
  await db('import_uploads').insert({ id, organization, bytes: Buffer.concat(pieces).length })
  await db('import_pieces').insert(pieces.map((bytes, place) => ({ upload: id, place, bytes })))
  return id
}

/** Reads the bytes of a staged file, which no answer shows. */
export async function readStagedFile(db: Knex, id: string): Promise<Buffer> {
  const pieces = await db('import_pieces').where({ upload: id }).orderBy('place').pluck<Buffer[]>('bytes')
  return Buffer.concat(pieces)
}

/** Deletes staged files with their pieces, as retention does one day. */
export async function deleteStagedFiles(db: Knex, ids: readonly string[]): Promise<void> {
  await db('import_uploads').whereIn('id', ids).delete()
}
