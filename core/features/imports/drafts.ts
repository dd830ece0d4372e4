import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { Dialect } from './imports.types.ts'
import type { MapperRow } from './mappers.schema.ts'
import type { Staged } from './staging.ts'

/** What a member has decided so far about a file that is staged and not yet imported. */
export interface Choices {
  /** Application of its passports. */
  application?: string
  /** The mapper that rows go through. */
  mapper?: string
  /** Whether the rows are passports as they are, with no mapper. */
  plain?: true
  /** Where the columns go, as chosen on the page. */
  rows?: MapperRow[]
  /** The mapper was made of these rows, and changes with them. */
  own?: true
  /** The last dry run of it. */
  trial?: string
}

export interface Draft extends Choices {
  upload: string
  bytes: number
  /** Of its bytes, SHA-256. */
  digest: Buffer
  dialect: Dialect
  fileName: string | null
}

interface Kept extends Choices { dialect: Dialect; digest: string; fileName: string | null }
interface Row { id: string; bytes: number; draft: Kept }

/** Makes a staged file one that a member decides about. Like each file without an import it goes after an hour. */
export async function keepDraft(
  db: Knex, organization: string, staged: Staged, fileName: string | null,
): Promise<void> {
  const kept: Kept = { dialect: staged.dialect, digest: staged.digest.toString('hex'), fileName }
  await db('import_uploads').where({ id: staged.upload, organization }).whereNull('job')
    .update({ draft: JSON.stringify(kept) })
}

const draftOf = ({ id, bytes, draft: { digest, ...kept } }: Row): Draft =>
  ({ ...kept, upload: id, bytes: Number(bytes), digest: Buffer.from(digest, 'hex') })

const drafts = (db: Knex, organization: string) =>
  db('import_uploads').where({ organization }).whereNull('job').whereNotNull('draft')

/** The draft of this organization; undefined for one that is gone, was imported, or is of another. */
export async function findDraft(db: Knex, organization: string, upload: string): Promise<Draft | undefined> {
  const row = await drafts(db, organization).where({ id: upload }).first<Row | undefined>('id', 'bytes', 'draft')
  return row && draftOf(row)
}

/** The same, held until the transaction ends, so that of two beginnings one finds nothing. */
export async function lockDraft(trx: Knex, organization: string, upload: string): Promise<Draft | undefined> {
  const row = await drafts(trx, organization).where({ id: upload }).forUpdate()
    .first<Row | undefined>('id', 'bytes', 'draft')
  return row && draftOf(row)
}

/** The draft whose last dry run this was. */
export async function findTried(db: Knex, organization: string, trial: string): Promise<Draft | undefined> {
  const row = await drafts(db, organization).whereRaw(`draft ->> 'trial' = ?`, [trial])
    .first<Row | undefined>('id', 'bytes', 'draft')
  return row && draftOf(row)
}

/** Changes choices; null takes one back. */
export async function changeDraft(
  db: Knex, organization: string, upload: string, change: { readonly [C in keyof Choices]?: Choices[C] | null },
): Promise<void> {
  const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null))
  const gone = Object.keys(change).filter((name) => !Object.hasOwn(set, name))
  await drafts(db, organization).where({ id: upload })
    .update({ draft: db.raw('(draft || ?::jsonb) - ?::text[]', [JSON.stringify(set), gone]) })
}

/**
 * A copy of a staged file, made where it lies: a dry run takes it, and the file stays for the import. In the caller's
 * transaction. @returns the copy's id
 */
export async function copyUpload(trx: Knex, upload: string): Promise<string> {
  const copy = newId()
  await trx.raw(
    `insert into import_uploads (id, organization, bytes) select ?, organization, bytes from import_uploads where id = ?`,
    [copy, upload])
  await trx.raw(
    `insert into import_pieces (upload, place, bytes) select ?, place, bytes from import_pieces where upload = ?`,
    [copy, upload])
  return copy
}
