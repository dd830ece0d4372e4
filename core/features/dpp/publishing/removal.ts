import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { type DryRun, formatCount, maxSamples, SkippedCounts } from '../../../kernel/dry-run.ts'
import type { JobError } from '../../../kernel/job.ts'
import type { PageRequest } from '../../../kernel/page.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import type { JobItem } from '../../../queue/batches/items.ts'
import { decideCertificateFate, readSheets, recertifyPassports } from '../certificates/index.ts'
import {
  archivePassports,
  deletePassportRows,
  findClaimedPassports,
  findDeletionProblem,
  findWriteProblem,
  lockPassports,
  PassportRow,
  passportStatus,
  queryPassports,
  readRemovablePassports,
  recordEventsByIds,
  recordPassportEvents,
  type RemovablePassport,
} from '../passports/index.ts'
import {
  findUnits,
  namePassports,
  type StartedUnitsJob,
  startUnitsJob,
  type UnitsJobSelection,
} from '../selection/index.ts'

/** How passports are removed: they are deleted, or they are archived and stay readable. */
export type RemovalStep = 'delete' | 'archive'

/** The number of passports that one step of a preview reads. */
const previewBatchSize = 5_000

/**
 * Starts a job that deletes or archives the passports that match the list parameters: every match, or exactly the
 * requested page. Unlike publishing, it takes no batches and items along with their models. The set of passports is
 * fixed now.
 * @throws VALIDATION_FAILED for more than 100,000 passports
 */
export const startRemoval = (
  work: Work,
  caller: OrganizationCaller,
  page: PageRequest,
  step: RemovalStep,
): Promise<StartedUnitsJob> => startUnitsJob(work, selectForRemoval(work, caller, page, step))

function selectForRemoval(
  { trx }: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
  step: RemovalStep,
): UnitsJobSelection {
  const matching = queryPassports(trx, organization)
  return { organization, step, payload: {}, page, matching, certifies: false }
}

/** A problem, as for the single passport; `unchanged` if the passport is archived already; null if it is removed. */
type Obstacle = ProblemError | 'unchanged' | null

/** Creates the function that finds what keeps a passport from being removed, by the rules of the operations on a single passport. */
async function createObstacleFinder(
  trx: Knex,
  step: RemovalStep,
  rows: readonly RemovablePassport[],
): Promise<(row: RemovablePassport) => Obstacle> {
  if (step === 'archive')
    return (row) => findWriteProblem(row) ?? (passportStatus.canMove('archive', row.status) ? null : 'unchanged')
  const claimed = await findClaimedPassports(
    trx,
    rows.map(({ id }) => id),
  )
  return (row) => findWriteProblem(row) ?? findDeletionProblem(row, claimed.has(row.id))
}

/** The result of one batch: the number of passports removed, and the errors of those that cannot be. */
export interface RemovedBatch {
  removed: number
  errors: JobError[]
}

/** Deletes or archives units of a job, with their events, in the caller's transaction. */
export async function removeUnits(
  trx: Knex,
  context: Context,
  { organization, step }: { organization: string; step: RemovalStep },
  units: readonly JobItem[],
): Promise<RemovedBatch> {
  const lines = new Map(units.map(({ line, subject }) => [subject, line]))
  const rows = await lockPassports(trx, organization, [...lines.keys()])
  const findObstacle = await createObstacleFinder(trx, step, rows)
  const found = rows.map((row) => ({ row, obstacle: findObstacle(row) }))
  const removed = found.filter(({ obstacle }) => obstacle === null).map(({ row }) => row)
  if (step === 'delete') await deleteRows(trx, removed)
  else await archiveRows(trx, context, organization, removed)
  const errors = found.flatMap(({ row: { id }, obstacle }): JobError[] =>
    obstacle === null || obstacle === 'unchanged'
      ? []
      : [{ line: lines.get(id) ?? 0, code: obstacle.code ?? '', message: `Passport ${id}: ${obstacle.detail}` }],
  )
  return { removed: removed.length, errors: errors.sort((one, other) => one.line - other.line) }
}

async function deleteRows(trx: Knex, rows: readonly PassportRow[]): Promise<void> {
  await deletePassportRows(
    trx,
    rows.map(({ id }) => id),
  )
  await recordPassportEvents(trx, 'delete', rows)
}

async function archiveRows(
  trx: Knex,
  context: Context,
  organization: string,
  rows: readonly PassportRow[],
): Promise<void> {
  const ids = rows.map(({ id }) => id)
  await archivePassports(trx, ids)
  const getSheet = await readSheets(trx, rows, false)
  const fates = rows.map((row) => {
    const after = Object.assign(Object.create(PassportRow.prototype) as PassportRow, row, {
      status: passportStatus.moves.archive.to,
    })
    return { passport: row.id, fate: decideCertificateFate(row, after, getSheet(row)) }
  })
  for (const job of await recertifyPassports(trx, context, organization, fates)) await context.queue.wakeJobs(trx, job)
  await recordEventsByIds(trx, 'update', ids)
}

/** Why passports are not removed, as it is told to people. */
const reasons = {
  DPP_PASSPORT_SOURCE_READ_ONLY: 'A shop keeps them; change them there',
  DPP_PASSPORT_ALREADY_MINTED: 'Their tokens are minted, or about to be; they can only be archived',
  unchanged: 'They are archived already',
} as const

/**
 * Tells what `startRemoval` would do.
 * @throws VALIDATION_FAILED as `startRemoval`
 */
export async function previewRemoval(
  work: Work,
  caller: OrganizationCaller,
  page: PageRequest,
  step: RemovalStep,
): Promise<DryRun> {
  const units = await findUnits(work, (inner) => selectForRemoval(inner, caller, page, step))
  const skipped = new SkippedCounts()
  const removed: string[] = []
  let published = 0
  for (let at = 0; at < units.length; at += previewBatchSize) {
    const ids = units.slice(at, at + previewBatchSize)
    const rows = await readRemovablePassports(work.trx, caller.organization, ids)
    const findObstacle = await createObstacleFinder(work.trx, step, [...rows.values()])
    for (const id of ids) {
      const row = rows.get(id)
      if (!row) continue
      const obstacle = findObstacle(row)
      if (obstacle !== null) skipped.add(getReason(obstacle))
      else removed.push(id)
      if (obstacle === null && (row.status === 'published' || row.status === 'claimed')) published++
    }
  }
  return {
    matched: units.length,
    willChange: removed.length,
    samples: await namePassports(work.trx, (removed.length > 0 ? removed : units).slice(0, maxSamples)),
    skipped: skipped.list(),
    warnings: published > 0 ? [createWarning(step, formatCount(published, 'passport'))] : [],
  }
}

const getReason = (obstacle: ProblemError | 'unchanged'): string =>
  obstacle === 'unchanged' ? reasons.unchanged : reasons[obstacle.code as keyof typeof reasons]

const createWarning = (step: RemovalStep, published: string): string =>
  step === 'delete'
    ? `The public pages of ${published} would be gone, and the codes on their products would lead nowhere.`
    : `The credentials of ${published} would not be served any more. Nothing brings an archived passport back.`
