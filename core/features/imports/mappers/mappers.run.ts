import { getCallerOrganization } from '../../../kernel/caller.ts'
import { getRecordSink } from '../../../kernel/ports/record-sinks.ts'
import { createNotFoundProblem, createProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { findImportView, ImportModel, presentImport, startImport } from '../intake/index.ts'
import { type AcceptedImport, type ImportJob, listReadableEntities, type Mapper } from '../records/index.ts'
import { MapperModel, presentMapper } from './mappers.model.ts'
import { findMapper } from './mappers.ts'

/** The maximum number of imports in the list of running ones. */
const maxListedImports = 100

/**
 * Starts to import what a mapper's address gives. Unless the mapper says otherwise, rows whose record exists are skipped in
 * a manual run, and in a scheduled one the sink decides.
 * @returns the import's id, or null while another process or this one still imports the last fetch of this mapper; the
 * transaction cannot be used any further then
 */
export async function startMapperRun(
  work: Pick<Work, 'trx' | 'context' | 'afterCommit'>,
  { id, organization, application, entityName, rows, onDuplicate }: MapperModel,
  source: 'scheduled' | 'manual',
): Promise<string | null> {
  const sink = getRecordSink(entityName)
  const defaultPolicy = source === 'scheduled' ? sink.scheduledPolicy : 'skip'
  try {
    return await startImport(work, {
      organization,
      application,
      entityName,
      source,
      isMapperRun: true,
      mapper: { id, rows },
      network: await sink.findDefaultNetwork(work.context, organization),
      onDuplicate: onDuplicate ?? defaultPolicy,
      dryRun: false,
      file: null,
    })
  } catch (cause) {
    if (isAlreadyRunning(cause)) return null
    throw cause
  }
}

/** Returns whether an insert failed because a run of the mapper goes on. Source: PostgreSQL, appendix A, 23505. */
function isAlreadyRunning(cause: unknown): boolean {
  const { code, constraint } = cause as { code?: unknown; constraint?: unknown }
  return code === '23505' && constraint === 'imports_one_run'
}

/** @throws NOT_FOUND, IMPORT_MAPPER_NOT_URL, IMPORT_RUN_IN_PROGRESS */
export async function runMapper(work: Work, id: string): Promise<AcceptedImport> {
  const mapper = await findMapper(work, id, 'update', 'forShare')
  if (mapper.type !== 'url') {
    throw createProblem(
      'IMPORT_MAPPER_NOT_URL',
      'The mapper is for files that are sent; only one of type url is fetched.',
    )
  }
  const jobId = await startMapperRun(work, mapper, 'manual')
  if (jobId === null) {
    throw createProblem('IMPORT_RUN_IN_PROGRESS', 'The last fetch of this mapper is still being imported.')
  }
  const job = await findImportView(work.trx, jobId, mapper.organization)
  if (!job) throw new Error(`Import ${jobId} is not there`)
  return { ...job, jobId }
}

/**
 * Lists the mappers of running imports, each import once, the newest first: files that were sent and fetches.
 * @throws NOT_FOUND for callers without an organization
 */
export async function listRunningMappers(
  { trx, caller, context }: Work,
  application: string | undefined,
): Promise<{ mapper: Mapper; job: ImportJob }[]> {
  const organization = getCallerOrganization(caller)
  if (organization === null) throw createNotFoundProblem()
  const query = ImportModel.query(trx)
    .modify('ofOrganization', organization)
    .modify('withJob')
    .whereIn('imports.entity_name', listReadableEntities(caller))
    .where('imports.name', 'batch')
    .whereNotNull('imports.mapper')
    .whereNull('imports.finished_at')
    .where('jobs.status', 'pending')
    .orderBy('imports.created_at', 'desc')
    .orderBy('imports.job', 'desc')
    .limit(maxListedImports)
  if (application !== undefined) void query.where('imports.application', application)
  const imports = await query
  const ids = [...new Set(imports.flatMap(({ mapper }) => mapper ?? []))]
  const mappers = await MapperModel.query(trx).modify('ofOrganization', organization).whereIn('id', ids)
  const shown = new Map(mappers.map((mapper) => [mapper.id, presentMapper(context, mapper)]))
  return imports.flatMap((row) => {
    const mapper = shown.get(row.mapper ?? '')
    return mapper ? [{ mapper, job: presentImport(row) }] : []
  })
}
