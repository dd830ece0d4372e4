import type { Knex } from 'knex'
import type { JobError } from '../../kernel/job.ts'
import type { Context } from '../../kernel/work.ts'
import type { Hung } from './import.types.ts'

/**
 * Starts to look where passports of the product flow hang: after a publish, an import or a change of numbers. Each shows
 * the job as its `structureJob` from now on; one that an earlier job has not come to is this one's. In the caller's
 * transaction, whose commit rings. @returns the job, null where there is nothing to do
 */
export async function startStructure(
  trx: Knex, context: Context, organization: string, ids: readonly string[],
): Promise<string | null> {
  if (ids.length === 0) return null
  const job = await context.queue.enqueue(trx, { type: 'structure', organization, total: ids.length, payload: {} })
  await trx.raw(
    `insert into structure_units (job, line, passport)
     select ?, unit.line - 1, unit.passport from unnest(?::uuid[]) with ordinality as unit (passport, line)`,
    [job, ids as string[]])
  await trx.raw(
    `update passports
     set structure_job = ?, structure_job_status = 'pending', structure_job_error = null, updated_at = now()
     where id = any(?::uuid[])`, [job, ids as string[]])
  await context.queue.wake(trx, job)
  return job
}

/** What a chunk came to: units taken out of the list; of them those with all their parents, and those that failed. */
export interface Structured { taken: number; linked: number; errors: JobError[] }

interface Unit {
  line: number
  passport: string
  granularity: string | null
  model: string | null
  batch: string | null
  /** Whether the parents that its numbers name are there. */
  has_model: boolean
  has_batch: boolean
  /** Some models that have a batch of the number. */
  models: string[]
}

/** Models told in a sentence. */
const mostModels = 3

/**
 * Looks at the next units of a job, at most `most`, in the caller's transaction. A parent that is not there yet is no
 * failure, as parents may come later and are found whenever a passport is read; numbers that cannot lead to one are.
 */
export async function structureChunk(trx: Knex, job: string, most: number): Promise<Structured> {
  const { rows: taken } = await trx.raw<{ rows: { line: number; passport: string }[] }>(
    `delete from structure_units
     where job = ? and line in (select line from structure_units where job = ? order by line limit ?)
     returning line, passport`, [job, job, most])
  if (taken.length === 0) return { taken: 0, linked: 0, errors: [] }
  const units = await lookUp(trx, job, taken)
  const judged = units.map((unit) => ({ unit, error: contradictionIn(unit) }))
  await trx.raw(
    `update passports set structure_job_status = case when done.error is null then 'completed' else 'failed' end,
       structure_job_error = done.error, updated_at = now()
     from unnest(?::uuid[], ?::text[]) as done (passport, error)
     where passports.id = done.passport`,
    [units.map(({ passport }) => passport), judged.map(({ error }) => error?.message ?? null)] as Knex.RawBinding[])
  return {
    taken: taken.length,
    linked: judged.filter(({ unit, error }) => !error && hasAll(unit)).length,
    errors: judged.flatMap(({ error }) => error ? [error] : []).sort((one, other) => one.line - other.line),
  }
}

/** The units that are still this job's, their rows locked in the order of ids, with what their numbers lead to. */
async function lookUp(trx: Knex, job: string, taken: readonly { line: number; passport: string }[]): Promise<Unit[]> {
  const { rows } = await trx.raw<{ rows: Unit[] }>(
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
           and (p.product ->> 'batchNumber') = (mine.product ->> 'batchNumber') order by 1 limit ${mostModels + 1}
       ) else '{}' end as models
     from mine join unnest(?::uuid[], ?::int[]) as unit (passport, line) on unit.passport = mine.id,
       passport_parents(mine.application, mine.product) parents`,
    [taken.map(({ passport }) => passport), job, taken.map(({ passport }) => passport), taken.map(({ line }) => line)])
  return rows
}

function hasAll({ granularity, batch, has_model, has_batch }: Unit): boolean {
  return granularity === 'model' || (has_model && (granularity === 'batch' || batch === null || has_batch))
}

/** Why the numbers of an item cannot lead to its batch, whatever is created later, or null. */
function contradictionIn({ line, model, batch, models }: Unit): JobError | null {
  const [only, second] = models
  if (batch === null || only === undefined) return null
  if (model !== null) {
    const message = `Batch ${batch} is one of model ${named(models)}, not of model ${model}.`
    return { line, path: 'product.batchNumber', code: 'OTHER_MODEL', message }
  }
  if (second === undefined) return null
  const message = `Several models have a batch ${batch} (${named(models)}): the item has to say its modelNumber.`
  return { line, path: 'product.modelNumber', code: 'SEVERAL_MODELS', message }
}

const named = (models: readonly string[]) =>
  models.slice(0, mostModels).join(', ') + (models.length > mostModels ? ' and others' : '')

/** A structure job whose units come one after the other, as an import makes them. It begins when it is released. */
export async function holdStructure(trx: Knex, context: Context, organization: string): Promise<string> {
  const job = await context.queue.enqueue(trx, { type: 'structure', organization, total: 0, payload: {} })
  await trx.raw(`update jobs set due_at = now() + interval '1 year' where id = ?`, [job])
  return job
}

/** Lets a held job begin with what is left to it; one that nothing was given to goes. @param hung all that was given */
export async function releaseStructure(trx: Knex, { queue }: Context, job: string, hung: Hung): Promise<void> {
  const { linked, alone, waiting } = hung
  const total = linked + alone + waiting
  if (total === 0) return void (await trx('jobs').where({ id: job, total: 0 }).delete())
  await queue.advance(trx, job, { total, completed: linked + alone, state: { linked } })
  await queue.wake(trx, job)
}
