import type { Knex } from 'knex'
import { newId } from '../../../../core/database/model.ts'

/** A file to write: one that is being received, without a piece, unless its members say otherwise. */
export interface NewUpload {
  organization: string
  /** The import that has it. */
  job?: string
  bytes?: number
  /** The seconds since its first piece came. */
  ageSeconds?: number
  pieces?: readonly Buffer[]
}

/** Inserts a staged file of any size and age. @returns its id */
export async function insertUpload(
  db: Knex,
  { organization, job, bytes, ageSeconds = 0, pieces = [] }: NewUpload,
): Promise<string> {
  const id = newId()
  await db('import_uploads').insert({
    id,
    organization,
    job,
    bytes,
    created_at: db.raw('now() - make_interval(secs => ?)', [ageSeconds]),
  })
  for (const [place, piece] of pieces.entries()) await db('import_pieces').insert({ upload: id, place, bytes: piece })
  return id
}

/** Removes a staged file, as at the end of its import. */
export async function removeUpload(db: Knex, id: string): Promise<void> {
  await db('import_uploads').where({ id }).delete()
}

/** Files that no import has yet, and the pieces of them that are stored. */
export interface StagedFiles {
  uploads: number
  pieces: number
}

/** Counts what is staged for an organization and is of no import yet. */
export async function countStagedFiles(db: Knex, organization: string): Promise<StagedFiles> {
  const { rows } = await db.raw<{ rows: [StagedFiles] }>(
    `select count(distinct u.id)::int as uploads, count(p.place)::int as pieces
     from import_uploads u left join import_pieces p on p.upload = u.id where u.organization = ? and u.job is null`,
    [organization],
  )
  return rows[0]
}

/** Counts the pieces of all files in the database. */
export async function countPieces(db: Knex): Promise<number> {
  const [row] = await db('import_pieces').count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Counts the pieces in the database whose file is gone. */
export async function countStrayPieces(db: Knex): Promise<number> {
  const [row] = await db('import_pieces')
    .whereNotExists(db('import_uploads').whereRaw('id = upload'))
    .count<{ count: string }[]>('*')
  return Number(row?.count)
}

/** Lists those of the files of which there is a piece, by their ids. */
export async function listUploadsWithPieces(db: Knex, ids: readonly string[]): Promise<string[]> {
  return db('import_pieces').whereIn('upload', ids).orderBy('upload').pluck<string[]>('upload')
}
