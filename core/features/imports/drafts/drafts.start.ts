import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { createValidationProblem, createNotFoundProblem } from '../../../kernel/problem.ts'
import type { RecordEntity } from '../../../kernel/words.ts'
import type { Work } from '../../../kernel/work.ts'
import { updateDraft, copyUpload, lockDraft, type Draft } from './drafts.ts'
import { hasColumns } from '../formats/index.ts'
import type { Dialect, DuplicatePolicy, MapperRow } from '../records/index.ts'
import { startImport } from '../intake/index.ts'
import { createMapper, updateMapper } from '../mappers/index.ts'
import type { FileSample } from '../samples/index.ts'
import { type Correspondence, type Granularity, suggestMapping } from '../suggest/index.ts'

/** Lists the mappers of an entity that read a format, for a choice; at most a thousand. */
export async function listMapperChoices(
  db: Knex,
  organization: string,
  { format, entity }: { format: Dialect['format']; entity: RecordEntity },
): Promise<{ id: string; name: string; application: string }[]> {
  return db('import_mappers')
    .where({ organization, entity_name: entity, format: hasColumns(format) ? 'csv' : 'json' })
    .orderBy(['name', 'id'])
    .limit(1_000)
    .select<{ id: string; name: string; application: string }[]>('id', 'name', 'application')
}

/** Finds the names of mappers of the organization by id; a deleted mapper is not in the map. */
export async function findMapperNames(
  db: Knex,
  organization: string,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  const rows = await db('import_mappers')
    .where({ organization })
    .whereIn('id', wanted)
    .select<{ id: string; name: string }[]>('id', 'name')
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Finds the rows of a mapper of the organization; undefined if there is no such mapper. */
export async function findMapperRows(
  { trx }: Work,
  { organization }: OrganizationCaller,
  id: string,
): Promise<readonly MapperRow[] | undefined> {
  const row = await trx('import_mappers').where({ id, organization }).first<{ rows: MapperRow[] } | undefined>('rows')
  return row?.rows
}

interface SuggestionOptions {
  application: string
  entityName?: RecordEntity
  /** What a row is, if it was said. */
  granularity?: Granularity | undefined
  sample: FileSample
}

/**
 * Suggests destinations for the fields of a file, and tries them with its first rows; fields with an empty name or one of more than 500 characters are left
 * out.
 */
export async function suggestCorrespondences(
  work: Work,
  { application, entityName, granularity, sample }: SuggestionOptions,
  signal: AbortSignal,
): Promise<Correspondence[]> {
  const questionFields = sample.fields
    .filter(({ id }) => id.length >= 1 && id.length <= 500)
    .map(({ id, example, distinct, nulls }) => ({ id, distinct, nulls, ...(example !== undefined && { example }) }))
  if (questionFields.length === 0) return []
  const question = { application, ...(entityName && { entityName }), granularity, fields: questionFields, sample }
  return (await suggestMapping(work, question, signal)).correspondences
}

export interface StartDraftOptions {
  onDuplicate: DuplicatePolicy
  dryRun: boolean
  /**
   * The name of the mapper that is created for the draft's own rows; empty if the draft has a mapper; null if no mapper is
   * kept.
   */
  name: string | null
}

/**
 * Starts the import of a draft, or a dry run of a copy of its file, after which the draft stays.
 * @returns the import's id
 * @throws VALIDATION_FAILED for a new mapper without a name, IMPORT_MAPPER_DUPLICATE_NAME, NOT_FOUND
 */
export async function startDraftImport(
  work: Work,
  caller: OrganizationCaller,
  upload: string,
  { onDuplicate, dryRun, name }: StartDraftOptions,
): Promise<string> {
  const { organization } = caller
  const draft = await lockDraft(work.trx, organization, upload)
  if (draft?.application === undefined) throw createNotFoundProblem()
  const { application } = draft
  const sink = getRecordSink(draft.entityName)
  const mapper = await prepareMapper(work, caller, draft, name)
  const { bytes, digest, dialect, fileName } = draft
  const file = { upload: dryRun ? await copyUpload(work.trx, upload) : upload, bytes, digest, dialect, fileName }
  const id = await startImport(work, {
    organization,
    application,
    entityName: sink.entity,
    source: 'upload',
    isMapperRun: false,
    mapper,
    network: await sink.findDefaultNetwork(work.context, organization),
    onDuplicate,
    dryRun,
    file,
  })
  if (dryRun) {
    const made = typeof mapper?.id === 'string' && { mapper: mapper.id, ...(draft.rows && { own: true as const }) }
    await updateDraft(work.trx, organization, upload, { trial: id, ...made })
  }
  return id
}

/**
 * Returns the mapper that rows go through, which is created or updated for the draft's own rows; null if the rows of
 * the file are records already.
 */
async function prepareMapper(
  work: Work,
  caller: OrganizationCaller,
  draft: Draft,
  name: string | null,
): Promise<{ id: string | null; rows: readonly MapperRow[] } | null> {
  if (draft.plain) return null
  if (draft.rows && name === null) return { id: null, rows: draft.rows }
  if (!draft.rows) {
    const rows = draft.mapper === undefined ? undefined : await findMapperRows(work, caller, draft.mapper)
    if (!rows || draft.mapper === undefined) throw createNotFoundProblem()
    return { id: draft.mapper, rows }
  }
  if (draft.own && draft.mapper !== undefined) {
    const { id, rows } = await updateMapper(work, draft.mapper, { rows: draft.rows }, () => undefined)
    return { id, rows }
  }
  if (name === null || name === '')
    throw createValidationProblem([
      { path: 'name', code: 'required', message: 'is missing: the mapping is kept under it' },
    ])
  const format = hasColumns(draft.dialect.format) ? 'csv' : 'json'
  const { application = '', entityName, rows: own } = draft
  const body = { application, ...(entityName && { entityName }), type: 'file', name, format, rows: own } as const
  const { id, rows } = await createMapper(work, caller, body)
  return { id, rows }
}
