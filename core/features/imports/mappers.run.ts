import { organizationOf } from '../../kernel/caller.ts'
import { notFound, problem } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { importedNetwork } from '../dpp/index.ts'
import { ImportModel } from './imports.model.ts'
import type { AcceptedImport, ImportJob } from './imports.schema.ts'
import { importView, readImport } from './imports.view.ts'
import { startImport } from './intake.ts'
import { MapperModel, presentMapper } from './mappers.model.ts'
import type { Mapper } from './mappers.schema.ts'
import { findMapper } from './mappers.ts'

/** Imports that the list of running ones tells of. */
const mostTold = 100

/** Who begins a fetch, and what becomes of rows that are there already unless the mapper says so. */
const ways = { scheduled: 'update', manual: 'skip' } as const

/**
 * Begins to import what a mapper's address gives. By its schedule rows whose reference or numbers are there already
 * change their passport, as a source is fetched again and again to keep them as it says; by hand they are skipped.
 * @returns the import's id, or null while the last fetch of this mapper, by whatever process, is still being imported;
 *   the transaction is of no more use then
 */
export async function startRun(
  work: Pick<Work, 'trx' | 'context' | 'afterCommit'>, { id, organization, application, rows, onDuplicate }: MapperModel,
  source: keyof typeof ways,
): Promise<string | null> {
  try {
    return await startImport(work, {
      organization, application, source, run: true, mapper: { id, rows },
      network: importedNetwork(work.context), onDuplicate: onDuplicate ?? ways[source], dryRun: false, file: null,
    })
  } catch (cause) {
    if (isRunning(cause)) return null
    throw cause
  }
}

/** Source: PostgreSQL, appendix A, 23505. */
function isRunning(cause: unknown): boolean {
  const { code, constraint } = cause as { code?: unknown; constraint?: unknown }
  return code === '23505' && constraint === 'imports_one_run'
}

/** @throws NOT_FOUND, IMPORT_MAPPER_NOT_URL, IMPORT_RUN_IN_PROGRESS */
export async function runMapper(work: Work, id: string): Promise<AcceptedImport> {
  const mapper = await findMapper(work, id, 'forShare')
  if (mapper.type !== 'url') {
    throw problem('IMPORT_MAPPER_NOT_URL', 'The mapper is for files that are sent; only one of type url is fetched.')
  }
  const jobId = await startRun(work, mapper, 'manual')
  if (jobId === null) {
    throw problem('IMPORT_RUN_IN_PROGRESS', 'The last fetch of this mapper is still being imported.')
  }
  const job = await readImport(work.trx, jobId, mapper.organization)
  if (!job) throw new Error(`Import ${jobId} is not there`)
  return { ...job, jobId }
}

/**
 * Mappers that an import goes on with, each import once, newest first: files that were sent and fetches.
 * @throws NOT_FOUND for callers without organization
 */
export async function runningMappers(
  { trx, caller, context }: Work, application: string | undefined,
): Promise<{ mapper: Mapper; job: ImportJob }[]> {
  const organization = organizationOf(caller)
  if (organization === null) throw notFound()
  const query = ImportModel.query(trx).modify('ofOrganization', organization).modify('withJob')
    .where('imports.name', 'batch').whereNotNull('imports.mapper').whereNull('imports.finished_at')
    .where('jobs.status', 'pending')
    .orderBy('imports.created_at', 'desc').orderBy('imports.job', 'desc')
    .limit(mostTold)
  if (application !== undefined) void query.where('imports.application', application)
  const imports = await query
  const ids = [...new Set(imports.flatMap(({ mapper }) => mapper ?? []))]
  const mappers = await MapperModel.query(trx).modify('ofOrganization', organization).whereIn('id', ids)
  const shown = new Map(mappers.map((mapper) => [mapper.id, presentMapper(context, mapper)]))
  return imports.flatMap((row) => {
    const mapper = shown.get(row.mapper ?? '')
    return mapper ? [{ mapper, job: importView(row) }] : []
  })
}
