import type { Knex } from 'knex'
import type { QueryBuilder } from 'objection'
import { applyFilters, createModelSource, listPage } from '../../../database/list/index.ts'
import { getKeyApplication } from '../../../kernel/caller.ts'
import type { PageRequest } from '../../../kernel/page.ts'
import { rehearse } from '../../../kernel/dry-run.ts'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import {
  insertJobItems,
  insertJobItemsFrom,
  type JobItem,
  jobSubjectsSql,
  listJobSubjects,
  takeJobItems,
} from '../../../queue/batches/items.ts'
import { createNetworkCheck } from '../content/index.ts'
import { passportColumns, type PassportRow } from '../passports/index.ts'

/**
 * The maximum number of passports that one request publishes, certifies, deletes or archives, including the batches and
 * items that come along with their models.
 */
export const maxJobUnits = 100_000

/** The next step of a unit. */
export type UnitStep = CascadingStep | 'delete' | 'archive'

/** A step for which batches and items come along with their models. */
type CascadingStep = 'publish' | 'certify'

/**
 * The statuses of the passports that a step handles. Passports with another status are skipped if the request selected
 * them, and do not come along with a model or batch.
 */
const statusesByStep: Record<CascadingStep, readonly string[]> = {
  publish: ['draft'],
  certify: ['published', 'claimed'],
}

const isCascading = (step: UnitStep): step is CascadingStep => Object.hasOwn(statusesByStep, step)

interface UnitSelection {
  step: UnitStep
  page: PageRequest
  matching: QueryBuilder<PassportRow, PassportRow[]>
  /** Whether batches and items do not come along with their models in a step for which they do. */
  isAlone?: boolean
}
type UnitTaking = UnitSelection & { job: string }

/**
 * The passports that a job is for. `certifies`: whether the job certifies passports, so that every network has to be
 * usable.
 */
export type UnitsJobSelection = UnitSelection & { organization: string; payload: object; certifies: boolean }

export interface StartedUnitsJob {
  jobId: string
  matched: number
}

/**
 * Starts a job that carries out a step on the passports that match.
 * @throws VALIDATION_FAILED for more than 100,000 passports, and for a passport to certify on a network on which
 * nothing can be sent
 * @throws QUOTA_EXCEEDED if the job would certify more passports than the organization may
 */
export async function startUnitsJob(work: Work, selection: UnitsJobSelection): Promise<StartedUnitsJob> {
  const { queue } = work.context
  const { jobId, matched } = await createUnitsJob(work, selection)
  if (selection.certifies) await holdCertifications(work, jobId, selection)
  await queue.advanceJob(work.trx, jobId, { total: matched })
  work.afterCommit(() => queue.notifyWorker(jobId))
  return { jobId, matched }
}

/**
 * Finds the passports that a job would take, in its order, and is refused like the job. No job remains.
 * @param select returns the selection, whose query has to run in the given work
 * @returns the ids of the passports
 * @throws VALIDATION_FAILED as `startUnitsJob`
 */
export function findUnits(work: Work, select: (work: Work) => UnitsJobSelection): Promise<string[]> {
  return rehearse(work, async (rehearsal) => {
    const { jobId } = await createUnitsJob(rehearsal, select(rehearsal))
    return listJobSubjects(rehearsal.trx, jobId)
  })
}

async function createUnitsJob(work: Work, selection: UnitsJobSelection): Promise<StartedUnitsJob> {
  const { trx, context, caller } = work
  const { organization, step, payload, certifies } = selection
  // All that a key of an application selects belongs to it, so that the key can follow the job.
  const application = getKeyApplication(caller)
  const jobId = await context.queue.enqueue(trx, {
    type: step,
    organization,
    ...(application !== null && { application }),
    total: 0,
    payload,
    countsTowardsLimit: true,
  })
  const matched = await takeUnits(trx, { ...selection, job: jobId })
  if (certifies && isCascading(step)) await assertUsableNetworks(work, jobId, { organization, step })
  return { jobId, matched }
}

/**
 * Fixes the units of a job: everything that matches, or exactly the requested page, and for a cascading step also the
 * batches and items of every model and batch among them.
 * @returns the number of units
 * @throws VALIDATION_FAILED for more than 100,000 units
 */
async function takeUnits(trx: Knex, taking: UnitTaking): Promise<number> {
  const { page } = taking
  const matched =
    page.isPageExplicit || page.cursor !== null ? await takePage(trx, taking) : await takeMatching(trx, taking)
  const { job, step, isAlone } = taking
  const cascades = isCascading(step) && isAlone !== true && matched <= maxJobUnits
  const all = matched + (cascades ? await takeChildren(trx, { job, step }, matched) : 0)
  if (all <= maxJobUnits) return all
  const message = `match more than ${maxJobUnits.toLocaleString('en')} passports`
  throw createValidationProblem([{ path: 'filters', code: 'too_many', message }])
}

async function takePage(trx: Knex, { job, step, page, matching }: UnitTaking): Promise<number> {
  const { data } = await listPage(createModelSource(matching.select('passports.id')), page, passportColumns)
  const items = data.map(({ id }, line): JobItem => ({ line, subject: id }))
  await insertJobItems(trx, { job, step }, items)
  return data.length
}

async function takeMatching(trx: Knex, { job, step, page, matching }: UnitTaking): Promise<number> {
  applyFilters(matching, page, passportColumns)
  const ids = matching
    .select('passports.id')
    .limit(maxJobUnits + 1)
    .toKnexQuery<{ id: string }>()
  const sql = 'select row_number() over (order by matched.id) - 1 as line, matched.id as subject from (?) as matched'
  return insertJobItemsFrom(trx, { job, step }, sql, [ids])
}

const createNumberSql = (name: string) => `p.product ->> '${name}'`

/**
 * Creates the SQL of the passports in the same application whose numbers lead to the rows of `of`. It uses the index of
 * the passports' identity.
 */
const createChildrenSql = (granularity: string, of: string, numbers: string) => `
  select p.id, p.status, p.application, ${createNumberSql('modelNumber')} as model, ${createNumberSql('batchNumber')} as batch
  from ${of} t join passports p on p.application = t.application and p.product is not null
    and ${createNumberSql('idGranularity')} = '${granularity}' and ${numbers}`

/**
 * Adds the batches and items of the job's models and batches to its units. The statement looks nothing up row by row,
 * whatever the planner assumes about a table that has just grown: it excludes existing units by hash and reads no
 * passport twice.
 */
async function takeChildren(
  trx: Knex,
  { job, step }: { job: string; step: CascadingStep },
  from: number,
): Promise<number> {
  return insertJobItemsFrom(
    trx,
    { job, step },
    `
    with taken as materialized (
      select p.application, ${createNumberSql('idGranularity')} as granularity, ${createNumberSql('modelNumber')} as model,
        ${createNumberSql('batchNumber')} as batch
      from (${jobSubjectsSql}) u join passports p on p.id = u.subject
      where p.product is not null and ${createNumberSql('idGranularity')} <> 'item' and p.status <> 'archived'
    ), models as materialized (select * from taken where granularity = 'model'
    ), under as materialized (${createChildrenSql('batch', 'models', `${createNumberSql('modelNumber')} = t.model`)}
    ), batches as materialized (
      select application, model, batch from taken where granularity = 'batch'
      union select application, model, batch from under where status <> 'archived'
    ), alone as materialized (
      -- Batches whose number no other batch of the application has: an item may name them without a model.
      select b.* from batches b where not exists (
        select from passports p where p.application = b.application and p.product is not null
          and ${createNumberSql('idGranularity')} = 'batch' and ${createNumberSql('batchNumber')} = b.batch
          and ${createNumberSql('modelNumber')} <> b.model)
    ), found as materialized (
      select id, status from under
      union all select id, status from (${createChildrenSql('item', 'models', `${createNumberSql('modelNumber')} = t.model`)}) as i
      union all select id, status from (${createChildrenSql(
        'item',
        'batches',
        `${createNumberSql('modelNumber')} = t.model and ${createNumberSql('batchNumber')} = t.batch`,
      )}) as i
      union all select id, status from (${createChildrenSql(
        'item',
        'alone',
        `${createNumberSql('modelNumber')} is null and ${createNumberSql('batchNumber')} = t.batch`,
      )}) as i
    ), fresh as (
      select id from found where status = any(?::text[])
      except ${jobSubjectsSql} limit ?
    )
    select ? + row_number() over (order by id) - 1 as line, id as subject from fresh`,
    [job, statusesByStep[step], job, maxJobUnits + 1, from],
  )
}

/**
 * Checks that something can be sent on the network of every passport to certify, and that the plan has it.
 * @throws VALIDATION_FAILED for each of the networks where that is not so
 */
async function assertUsableNetworks(
  { trx, context }: Work,
  job: string,
  { organization, step }: { organization: string; step: CascadingStep },
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { network: PassportRow['network'] }[] }>(
    `select distinct p.network from (${jobSubjectsSql}) u join passports p on p.id = u.subject
     where p.status = any(?::text[])`,
    [job, statusesByStep[step] as string[]],
  )
  const checkNetwork = await createNetworkCheck(context, trx, organization)
  const issues = rows.flatMap(({ network }) => checkNetwork(network) ?? [])
  if (issues.length > 0) throw createValidationProblem(issues)
}

/**
 * Holds a unit for each passport that the job will certify for the first time or again: what is certified already is
 * certified again only if its content changed. What is not used comes back when the job ends.
 */
async function holdCertifications(
  { trx, context }: Work,
  job: string,
  { organization, step }: UnitsJobSelection,
): Promise<void> {
  if (!isCascading(step)) return
  const {
    rows: [counted],
  } = await trx.raw<{ rows: { units: number }[] }>(
    `select count(*) as units from (${jobSubjectsSql}) u join passports p on p.id = u.subject
     where p.status = any(?::text[]) and p.certification_status <> 'certified'
       and (p.certified_paths <> '{}' or p.sheet is not null)`,
    [job, statusesByStep[step] as string[]],
  )
  await context.meters.hold(trx, job, { organization, meter: 'dpp.operations', units: counted?.units ?? 0 })
}

/**
 * The approximate limit for the content of the passports that one transaction handles, in bytes. What a transaction
 * reads, signs and writes into events is several times as large, and a statement that writes all of it must stay well
 * below its time limit.
 */
const maxTransactionBytes = 8 * 2 ** 20

/**
 * Creates the SQL of the first rows of `of` that one transaction can handle: rows within the limit of bytes, but at
 * least one.
 * @param of a query of passports, whose ids are in its column `subject`
 * @param place the column of `of` that orders the rows
 */
export const createBoundedSql = (of: string, place: string) => `
  select next.* from (
    select u.*, row_number() over (order by u.${place}) as nth, sum(octet_length(p.fields::text)
      + octet_length(coalesce(p.product::text, '')) + octet_length(coalesce(p.data::text, ''))) over (order by u.${place}) as bytes
    from (${of}) u left join passports p on p.id = u.subject
  ) next where nth = 1 or coalesce(bytes, 0) <= ${maxTransactionBytes}`

/** Returns the first of these passports that can be read at once, in their order; at least one unless there are none. */
export async function takeBoundedIds(trx: Knex, ids: readonly string[]): Promise<string[]> {
  const wanted = 'select line, subject from unnest(?::uuid[]) with ordinality as wanted (subject, line)'
  const { rows } = await trx.raw<{ rows: JobItem[] }>(createBoundedSql(wanted, 'line'), [ids as string[]])
  return rows.sort((one, other) => one.line - other.line).map(({ subject }) => subject)
}

/**
 * Takes the next units of a step from the job's list: at most `maxUnits`, and no more than one transaction can handle.
 * An empty result means that no unit is left.
 */
export const takeNextUnits = (trx: Knex, job: string, step: UnitStep, maxUnits: number): Promise<JobItem[]> =>
  takeJobItems(trx, { job, step }, maxUnits, (next) => createBoundedSql(next, 'line'))

/** Adds units to the list of the step `certify`. */
export const queueForCertification = (trx: Knex, job: string, units: readonly JobItem[]): Promise<void> =>
  insertJobItems(trx, { job, step: 'certify' }, units)
