import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { RecordEntity } from '../../../kernel/words.ts'
import type { Dialect, MapperRow } from '../records/index.ts'
import type { StagedFile } from '../staging/index.ts'
import type { Granularity } from '../suggest/index.ts'

/** What a member has decided so far about a file that is staged and not imported yet. */
export interface DraftChoices {
  /** What its rows become, if not the records of requests that name none. */
  entityName?: RecordEntity
  /** The application of the records. */
  application?: string
  /** The mapper that rows go through. */
  mapper?: string
  /** Whether the rows are records already and need no mapper. */
  plain?: true
  /** The rows of the mapper as they were chosen on the page. */
  rows?: MapperRow[]
  /** Whether the mapper was created from `rows` and changes with them. */
  own?: true
  /** What a row is, as the member said. */
  granularity?: Granularity
  /** The sheets of its workbook, if there are several: each is a draft. */
  sheets?: { name: string; upload: string }[]
  /** The last dry run of the draft. */
  trial?: string
}

export interface Draft extends DraftChoices {
  upload: string
  bytes: number
  /** The SHA-256 digest of the file's bytes. */
  digest: Buffer
  dialect: Dialect
  fileName: string | null
}

interface StoredDraft extends DraftChoices {
  dialect: Dialect
  digest: string
  fileName: string | null
}
interface DraftRow {
  id: string
  bytes: number
  draft: StoredDraft
}

interface NewDraft extends Pick<DraftChoices, 'entityName' | 'sheets'> {
  staged: StagedFile
  fileName: string | null
}

/** Turns a staged file into a draft. Like every file without an import, a draft is deleted after an hour. */
export async function createDraft(
  db: Knex,
  organization: string,
  { staged, fileName, entityName, sheets }: NewDraft,
): Promise<void> {
  const kept: StoredDraft = {
    ...(sheets && { sheets }),
    ...(entityName && { entityName }),
    dialect: staged.dialect,
    digest: staged.digest.toString('hex'),
    fileName,
  }
  await db('import_uploads')
    .where({ id: staged.upload, organization })
    .whereNull('job')
    .update({ draft: JSON.stringify(kept) })
}

const toDraft = ({ id, bytes, draft: { digest, ...kept } }: DraftRow): Draft => ({
  ...kept,
  upload: id,
  bytes: Number(bytes),
  digest: Buffer.from(digest, 'hex'),
})

const queryDrafts = (db: Knex, organization: string) =>
  db('import_uploads').where({ organization }).whereNull('job').whereNotNull('draft')

/** Finds a draft of this organization; undefined if it is gone, was imported, or belongs to another organization. */
export async function findDraft(db: Knex, organization: string, upload: string): Promise<Draft | undefined> {
  const row = await queryDrafts(db, organization)
    .where({ id: upload })
    .first<DraftRow | undefined>('id', 'bytes', 'draft')
  return row && toDraft(row)
}

/** Finds a draft and locks it until the transaction ends, so that only one of two concurrent starts finds it. */
export async function lockDraft(trx: Knex, organization: string, upload: string): Promise<Draft | undefined> {
  const row = await queryDrafts(trx, organization)
    .where({ id: upload })
    .forUpdate()
    .first<DraftRow | undefined>('id', 'bytes', 'draft')
  return row && toDraft(row)
}

/** Finds the draft whose last dry run is `trial`. */
export async function findDraftByTrial(db: Knex, organization: string, trial: string): Promise<Draft | undefined> {
  const row = await queryDrafts(db, organization)
    .whereRaw(`draft ->> 'trial' = ?`, [trial])
    .first<DraftRow | undefined>('id', 'bytes', 'draft')
  return row && toDraft(row)
}

/** Changes the choices of a draft; null removes a choice. */
export async function updateDraft(
  db: Knex,
  organization: string,
  upload: string,
  change: { readonly [C in keyof DraftChoices]?: DraftChoices[C] | null },
): Promise<void> {
  const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null))
  const gone = Object.keys(change).filter((name) => !Object.hasOwn(set, name))
  await queryDrafts(db, organization)
    .where({ id: upload })
    .update({ draft: db.raw('(draft || ?::jsonb) - ?::text[]', [JSON.stringify(set), gone]) })
}

/**
 * Copies a staged file inside the database, in the caller's transaction: a dry run takes the copy, and the file stays
 * for the import.
 * @returns the copy's id
 */
export async function copyUpload(trx: Knex, upload: string): Promise<string> {
  const copy = newId()
  await trx.raw(
    `insert into import_uploads (id, organization, bytes) select ?, organization, bytes from import_uploads where id = ?`,
    [copy, upload],
  )
  await trx.raw(
    `insert into import_pieces (upload, place, bytes) select ?, place, bytes from import_pieces where upload = ?`,
    [copy, upload],
  )
  return copy
}

/** Turns the sheets of a workbook, or another file, into drafts that know each other. */
export async function createDrafts(
  db: Knex,
  organization: string,
  { sheets, fileName }: { sheets: readonly StagedFile[]; fileName: string | null },
): Promise<void> {
  const named = sheets.map(({ upload, dialect }) => ({ name: dialect.sheet ?? '', upload }))
  for (const staged of sheets)
    await createDraft(db, organization, { staged, fileName, ...(sheets.length > 1 && { sheets: named }) })
}
