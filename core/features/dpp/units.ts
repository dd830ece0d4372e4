import type { Knex } from 'knex'
import type { QueryBuilder } from 'objection'
import { applyFilters, listPage } from '../../database/list.ts'
import type { Page } from '../../kernel/page.ts'
import { invalid } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { unusable } from './networks.rules.ts'
import { passportColumns, type PassportRow } from './passports.model.ts'

/** The most passports that one request publishes or certifies, batches and items that come along included. */
export const mostUnits = 100_000

/** What is done to a unit next. */
export type Step = 'publish' | 'certify'

/** Which passports a step is for: others are skipped where they were asked for by name, and do not come along. */
const meant: Record<Step, readonly string[]> = { publish: ['draft'], certify: ['published', 'claimed'] }

interface Wanted { step: Step; page: Page; matching: QueryBuilder<PassportRow, PassportRow[]> }
type Taking = Wanted & { job: string }

export interface Started { jobId: string; matched: number }

/**
 * Starts the job of a step over what matches. @param wanted `certifies`: whether something is sent to the networks
 * @throws VALIDATION_FAILED past 100,000, and where a passport to be certified is on a network nothing can be sent on
 */
export async function startUnits(
  work: Work, wanted: Wanted & { organization: string; payload: object; certifies: boolean },
): Promise<Started> {
  const { trx, context } = work
  const { organization, step, payload, certifies } = wanted
  const jobId = await context.queue.enqueue(trx, { type: step, organization, total: 0, payload, counts: true })
  const matched = await takeUnits(trx, { ...wanted, job: jobId })
  if (certifies) await refuseUnusable(work, jobId, step)
  await context.queue.advance(trx, jobId, { total: matched })
  work.afterCommit(() => context.queue.ring(jobId))
  return { jobId, matched }
}

/**
 * Fixes what a job takes: what matches, or exactly the page that is asked for, and of every model and batch among it
 * the batches and items that hang on it. @returns how many. @throws VALIDATION_FAILED past 100,000
 */
async function takeUnits(trx: Knex, taking: Taking): Promise<number> {
  const { page } = taking
  const matched = page.explicit || page.cursor !== null ? await takePage(trx, taking) : await takeAll(trx, taking)
  const all = matched + (matched > mostUnits ? 0 : await takeAlong(trx, taking, matched))
  if (all <= mostUnits) return all
  const message = `match more than ${mostUnits.toLocaleString('en')} passports`
  throw invalid([{ path: 'filters', code: 'too_many', message }])
}

async function takePage(trx: Knex, { job, step, page, matching }: Taking): Promise<number> {
  const { data } = await listPage(matching.select('passports.id'), page, passportColumns)
  await trx.raw(
    `insert into passport_units (job, step, line, passport)
     select ?, ?, unit.line - 1, unit.passport from unnest(?::uuid[]) with ordinality as unit (passport, line)`,
    [job, step, data.map((row) => row.id)])
  return data.length
}

async function takeAll(trx: Knex, { job, step, page, matching }: Taking): Promise<number> {
  applyFilters(matching, page, passportColumns)
  const ids = matching.select('passports.id').limit(mostUnits + 1).toKnexQuery<{ id: string }>()
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into passport_units (job, step, line, passport)
     select ?, ?, row_number() over (order by found.id) - 1, found.id from (?) as found`, [job, step, ids as unknown as Knex.RawBinding])
  return rowCount
}

const number = (name: string) => `p.product ->> '${name}'`

/** Passports of the same application that hang on rows of `of`, by the index of their identity. */
const hanging = (granularity: string, of: string, numbers: string) => `
  select p.id, p.status, p.application, ${number('modelNumber')} as model, ${number('batchNumber')} as batch
  from ${of} t join passports p on p.application = t.application and p.product is not null
    and ${number('idGranularity')} = '${granularity}' and ${numbers}`

/**
 * Nothing is looked up row by row, whatever the planner thinks of a table that has just grown: what is taken already is
 * left out by hash, and no passport is read twice.
 */
async function takeAlong(trx: Knex, { job, step }: Taking, from: number): Promise<number> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(`
    with taken as materialized (
      select p.application, ${number('idGranularity')} as granularity, ${number('modelNumber')} as model,
        ${number('batchNumber')} as batch
      from passport_units u join passports p on p.id = u.passport
      where u.job = ? and p.product is not null and ${number('idGranularity')} <> 'item' and p.status <> 'archived'
    ), models as materialized (select * from taken where granularity = 'model'
    ), under as materialized (${hanging('batch', 'models', `${number('modelNumber')} = t.model`)}
    ), batches as materialized (
      select application, model, batch from taken where granularity = 'batch'
      union select application, model, batch from under where status <> 'archived'
    ), alone as materialized (
      -- Batches whose number no other batch of the application has: an item may name them without a model.
      select b.* from batches b where not exists (
        select from passports p where p.application = b.application and p.product is not null
          and ${number('idGranularity')} = 'batch' and ${number('batchNumber')} = b.batch
          and ${number('modelNumber')} <> b.model)
    ), found as materialized (
      select id, status from under
      union all select id, status from (${hanging('item', 'models', `${number('modelNumber')} = t.model`)}) as i
      union all select id, status from (${
        hanging('item', 'batches', `${number('modelNumber')} = t.model and ${number('batchNumber')} = t.batch`)}) as i
      union all select id, status from (${
        hanging('item', 'alone', `${number('modelNumber')} is null and ${number('batchNumber')} = t.batch`)}) as i
    ), fresh as (
      select id from found where status = any(?::text[])
      except select passport from passport_units where job = ? limit ?
    )
    insert into passport_units (job, step, line, passport)
    select ?, ?, ? + row_number() over (order by id) - 1, id from fresh`,
  [job, meant[step] as string[], job, mostUnits + 1, job, step, from])
  return rowCount
}

/** @throws VALIDATION_FAILED when one of the passports to be certified is on a network that nothing can be sent on */
async function refuseUnusable({ trx, context }: Work, job: string, step: Step): Promise<void> {
  const { rows } = await trx.raw<{ rows: { network: PassportRow['network'] }[] }>(
    `select distinct p.network from passport_units u join passports p on p.id = u.passport
     where u.job = ? and p.status = any(?::text[])`, [job, meant[step] as string[]])
  const wrong = rows.filter(({ network }) => !context.chains.usable(network))
  if (wrong.length > 0) throw invalid(wrong.map(({ network }) => unusable(network)))
}

/**
 * Bytes of content of the passports that one transaction takes, about: what is read, signed and told of them in events
 * is as large again, several times, and a statement that writes all of it must not come near its time limit.
 */
const mostBytes = 8 * 2 ** 20

/** SQL: rows of `of` (with `place`, in the order of which they come) that go together: so many bytes, but at least one. */
export const bounded = (of: string, place: string) => `
  select next.* from (
    select u.*, row_number() over (order by u.${place}) as nth, sum(octet_length(p.fields::text)
      + octet_length(coalesce(p.product::text, '')) + octet_length(coalesce(p.data::text, ''))) over (order by u.${place}) as bytes
    from (${of}) u left join passports p on p.id = u.passport
  ) next where nth = 1 or coalesce(bytes, 0) <= ${mostBytes}`

/** Takes the next units of a step out of the job's list, at most so many. None: there is none left. */
export async function nextUnits(trx: Knex, job: string, step: Step, most: number): Promise<Unit[]> {
  const next = bounded('select line, passport from passport_units where job = ? and step = ? order by line limit ?', 'line')
  const { rows } = await trx.raw<{ rows: Unit[] }>(
    `delete from passport_units where job = ? and line in (select line from (${next}) as taken) returning line, passport`,
    [job, job, step, most])
  return rows.sort((one, other) => one.line - other.line)
}

export interface Unit { line: number; passport: string }

/** Lets units be certified next. */
export async function handOn(trx: Knex, job: string, units: readonly Unit[]): Promise<void> {
  await trx.raw(
    `insert into passport_units (job, step, line, passport)
     select ?, 'certify', unit.line, unit.passport from unnest(?::int[], ?::uuid[]) as unit (line, passport)`,
    [job, units.map(({ line }) => line), units.map(({ passport }) => passport)])
}
