import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { invalid, notFound } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { importedNetwork } from '../dpp/index.ts'
import { changeDraft, copyUpload, lockDraft, type Draft } from './drafts.ts'
import { hasColumns } from './formats.ts'
import type { DuplicatePolicy } from './imports.schema.ts'
import type { Dialect } from './imports.types.ts'
import { startImport } from './intake.ts'
import type { MapperRow } from './mappers.schema.ts'
import { createMapper, updateMapper } from './mappers.ts'
import type { FileField } from './peek.ts'
import { suggestMapping } from './suggest.ts'
import type { Correspondence } from './suggestions.schema.ts'

/** Mappers that read a format take, for a choice; at most a thousand. */
export async function mapperChoices(
  db: Knex, organization: string, format: Dialect['format'],
): Promise<{ id: string; name: string; application: string }[]> {
  return db('import_mappers').where({ organization, format: hasColumns(format) ? 'csv' : 'json' })
    .orderBy(['name', 'id']).limit(1_000)
    .select<{ id: string; name: string; application: string }[]>('id', 'name', 'application')
}

/** Names of mappers of the organization, by id; those that are gone are not there. */
export async function mapperNames(
  db: Knex, organization: string, ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  const rows = await db('import_mappers').where({ organization }).whereIn('id', wanted)
    .select<{ id: string; name: string }[]>('id', 'name')
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Rows of a mapper of the organization; undefined for none. */
export async function mapperRows(
  { trx }: Work, { organization }: OrganizationCaller, id: string,
): Promise<readonly MapperRow[] | undefined> {
  const row = await trx('import_mappers').where({ id, organization }).first<{ rows: MapperRow[] } | undefined>('rows')
  return row?.rows
}

/** Where the fields of a file could go; columns that no question can be asked of are left out. */
export async function suggestFor(
  work: Work, application: string, fields: readonly FileField[], signal: AbortSignal,
): Promise<Correspondence[]> {
  const asked = fields.filter(({ id }) => id.length >= 1 && id.length <= 500)
    .map(({ id, example, distinct, nulls }) => ({ id, distinct, nulls, ...(example !== undefined && { example }) }))
  if (asked.length === 0) return []
  return (await suggestMapping(work, { application, fields: asked }, signal)).correspondences
}

export interface Beginning {
  onDuplicate: DuplicatePolicy
  dryRun: boolean
  /** What the mapper of the draft's own rows is to be called; nothing where it has one. */
  name: string
}

/**
 * Begins the import of a draft, or a dry run of a copy of it: then the draft stays. @returns the import's id
 * @throws VALIDATION_FAILED for a new mapper without a name, IMPORT_MAPPER_DUPLICATE_NAME, NOT_FOUND
 */
export async function startDraft(
  work: Work, caller: OrganizationCaller, upload: string, { onDuplicate, dryRun, name }: Beginning,
): Promise<string> {
  const { organization } = caller
  const draft = await lockDraft(work.trx, organization, upload)
  if (draft?.application === undefined) throw notFound()
  const { application } = draft
  const mapper = await mapperOf(work, caller, draft, name)
  const { bytes, digest, dialect, fileName } = draft
  const file = { upload: dryRun ? await copyUpload(work.trx, upload) : upload, bytes, digest, dialect, fileName }
  const id = await startImport(work, {
    organization, application, source: 'upload', run: false, mapper, network: importedNetwork(work.context), onDuplicate,
    dryRun, file,
  })
  if (dryRun) {
    const made = mapper && { mapper: mapper.id, ...(draft.rows && { own: true as const }) }
    await changeDraft(work.trx, organization, upload, { trial: id, ...made })
  }
  return id
}

/** The mapper that rows go through, made or changed where they are the draft's own; null for passports as they are. */
async function mapperOf(
  work: Work, caller: OrganizationCaller, draft: Draft, name: string,
): Promise<{ id: string; rows: readonly MapperRow[] } | null> {
  if (draft.plain) return null
  if (!draft.rows) {
    const rows = draft.mapper === undefined ? undefined : await mapperRows(work, caller, draft.mapper)
    if (!rows || draft.mapper === undefined) throw notFound()
    return { id: draft.mapper, rows }
  }
  if (draft.own && draft.mapper !== undefined) {
    const { id, rows } = await updateMapper(work, draft.mapper, { rows: draft.rows }, () => undefined)
    return { id, rows }
  }
  if (name === '') throw invalid([{ path: 'name', code: 'required', message: 'is missing: the mapping is kept under it' }])
  const format = hasColumns(draft.dialect.format) ? 'csv' : 'json'
  const { application = '', rows: own } = draft
  const { id, rows } = await createMapper(work, caller, { application, type: 'file', name, format, rows: own })
  return { id, rows }
}
