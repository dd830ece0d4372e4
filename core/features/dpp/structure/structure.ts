import type { Knex } from 'knex'
import type { JobError } from '../../../kernel/job.ts'
import type { Context } from '../../../kernel/work.ts'
import { insertJobItems, takeJobItems, type JobItem } from '../../../queue/batches/items.ts'
import { completeStructure, queueStructure } from '../passports/index.ts'

/** The step of the job items of a structure job. */
export const structureStep = 'structure'

/** The counts of new passports of the product flow, by whether the structure job still has to look at them. */
export interface ParentCounts {
  /** Passports with every parent that their numbers name. */
  linked: number
  /** Passports whose numbers name no parent, or nothing that could be looked up. */
  alone: number
  /** Passports that are left to the structure job. */
  waiting: number
}

/**
 * Starts the job that finds the parents of passports of the product flow, after a publish, an import or a change of
 * numbers. Each passport has the new job as its `structureJob` from now on; the job also takes over passports that an
 * earlier job has not reached. It runs in the caller's transaction, whose commit wakes the job.
 * @returns the job; null if there are no passports
 */
export async function startStructureJob(
  trx: Knex,
  context: Context,
  organization: string,
  ids: readonly string[],
): Promise<string | null> {
  if (ids.length === 0) return null
  const job = await context.queue.enqueue(trx, { type: 'structure', organization, total: ids.length, payload: {} })
  const items = ids.map((subject, line): JobItem => ({ line, subject }))
  await insertJobItems(trx, { job, step: structureStep }, items)
  await queueStructure(trx, job, ids)
  await context.queue.wakeJobs(trx, job)
  return job
}

/** Takes the next items of a structure job, at most `maxItems`. */
export const takeStructureItems = (trx: Knex, job: string, maxItems: number): Promise<JobItem[]> =>
  takeJobItems(trx, { job, step: structureStep }, maxItems)

/** The result of one batch: the number of items that have all their parents, and the errors of those that failed. */
export interface StructureBatchResult {
  linked: number
  errors: JobError[]
}

interface StructureUnitRow {
  line: number
  passport: string
  granularity: string | null
  model: string | null
  batch: string | null
  /** Whether a model and a batch with the unit's numbers exist. */
  has_model: boolean
  has_batch: boolean
  /** Some of the models that have a batch with this number. */
  models: string[]
}

/** The maximum number of models that a message names. */
const maxModels = 3

/**
 * Finds the parents of passports in the caller's transaction. A missing parent is no failure, because it may come later
 * and is found whenever a passport is read. Numbers that can never lead to a parent are a failure.
 */
export async function linkParents(trx: Knex, job: string, items: readonly JobItem[]): Promise<StructureBatchResult> {
  const units = await lockUnits(trx, job, items)
  const checkedUnits = units.map((unit) => ({ unit, error: findContradiction(unit) }))
  await completeStructure(
    trx,
    checkedUnits.map(({ unit: { passport }, error }) => ({ passport, error: error?.message ?? null })),
  )
  return {
    linked: checkedUnits.filter(({ unit, error }) => !error && hasAllParents(unit)).length,
    errors: checkedUnits.flatMap(({ error }) => (error ? [error] : [])).sort((one, other) => one.line - other.line),
  }
}

/**
 * Locks the units that still belong to this job, in the order of their passports' ids, and reads them with the parents
 * that their numbers lead to.
 */
async function lockUnits(trx: Knex, job: string, items: readonly JobItem[]): Promise<StructureUnitRow[]> {
  const { rows } = await trx.raw<{ rows: StructureUnitRow[] }>(
    `with mine as materialized (
       select id, application, product from passports
       where id = any(?::uuid[]) and structure_job = ? and structure_job_status = 'pending' order by id for update
     )
     select unit.line, mine.id as passport, mine.product ->> 'idGranularity' as granularity,
       mine.product ->> 'modelNumber' as model, mine.product ->> 'batchNumber' as batch,
       parents.model is not null as has_model, parents.batch is not null as has_batch,
       case when mine.product ->> 'idGranularity' = 'item' and parents.batch is null then array(
         select p.product ->> 'modelNumber' from passports p
         where p.application = mine.application and (p.product ->> 'idGranularity') = 'batch'
           and (p.product ->> 'batchNumber') = (mine.product ->> 'batchNumber') order by 1 limit ${maxModels + 1}
       ) else '{}' end as models
     from mine join unnest(?::uuid[], ?::int[]) as unit (passport, line) on unit.passport = mine.id,
       passport_parents(mine.application, mine.product) parents`,
    [items.map(({ subject }) => subject), job, items.map(({ subject }) => subject), items.map(({ line }) => line)],
  )
  return rows
}

function hasAllParents({ granularity, batch, has_model, has_batch }: StructureUnitRow): boolean {
  return granularity === 'model' || (has_model && (granularity === 'batch' || batch === null || has_batch))
}

/** Returns the error of an item whose numbers cannot lead to its batch, whatever is created later; otherwise null. */
function findContradiction({ line, model, batch, models }: StructureUnitRow): JobError | null {
  const [only, second] = models
  if (batch === null || only === undefined) return null
  if (model !== null) {
    const message = `Batch ${batch} is one of model ${formatModels(models)}, not of model ${model}.`
    return { line, path: 'product.batchNumber', code: 'OTHER_MODEL', message }
  }
  if (second === undefined) return null
  const message = `Several models have a batch ${batch} (${formatModels(models)}): the item has to say its modelNumber.`
  return { line, path: 'product.modelNumber', code: 'SEVERAL_MODELS', message }
}

const formatModels = (models: readonly string[]) =>
  models.slice(0, maxModels).join(', ') + (models.length > maxModels ? ' and others' : '')

/**
 * Creates a structure job whose units are added one after the other, as by an import. The job begins when it is
 * released.
 */
export function createHeldStructureJob(trx: Knex, context: Context, organization: string): Promise<string> {
  return context.queue.enqueue(trx, { type: 'structure', organization, total: 0, payload: {}, isHeld: true })
}

/**
 * Releases a held job, so that it begins with its waiting units. A job that got no units is deleted.
 * @param parentCounts the counts of all passports that the caller handled
 */
export async function releaseStructureJob(
  trx: Knex,
  { queue }: Context,
  job: string,
  parentCounts: ParentCounts,
): Promise<void> {
  const { linked, alone, waiting } = parentCounts
  const total = linked + alone + waiting
  if (total === 0) return queue.discardJob(trx, job)
  await queue.advanceJob(trx, job, { total, completed: linked + alone, state: { linked } })
  await queue.wakeJobs(trx, job)
}
