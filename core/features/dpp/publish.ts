import type { Knex } from 'knex'
import { raw } from 'objection'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Page } from '../../kernel/page.ts'
import { invalid } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { applyFilters, listPage } from '../../database/list.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow, passportColumns } from './passports.model.ts'

/** The most passports that one request publishes. */
export const mostPublished = 100_000

export interface PublishPayload { skipCertification: boolean }

/**
 * Starts to publish what the list parameters match: every draft without filters; exactly the page asked for where
 * there is one, else every match. The set is fixed now. @throws VALIDATION_FAILED past 100,000
 */
export async function startPublish(
  work: Work, caller: OrganizationCaller, page: Page, skipCertification: boolean,
): Promise<{ jobId: string; matched: number }> {
  const { trx, context } = work
  const { organization } = caller
  const payload: PublishPayload = { skipCertification }
  const jobId = await context.queue.enqueue(trx, { type: 'publish', organization, total: 0, payload })
  const matched = page.explicit || page.cursor !== null
    ? await takePage(trx, organization, page, jobId)
    : await takeAll(trx, organization, page, jobId)
  await context.queue.advance(trx, jobId, { total: matched })
  work.afterCommit(() => context.queue.ring(jobId))
  return { jobId, matched }
}

function matching(trx: Knex, organization: string, page: Page) {
  const query = PassportRow.query(trx).modify('ofOrganization', organization)
  return page.filters.value.length === 0 ? query.where('passports.status', 'draft') : query
}

async function takePage(trx: Knex, organization: string, page: Page, job: string): Promise<number> {
  const { data } = await listPage(matching(trx, organization, page).select('passports.id'), page, passportColumns)
  await trx.raw(
    `insert into publish_units (job, line, passport)
     select ?, unit.line - 1, unit.passport from unnest(?::uuid[]) with ordinality as unit (passport, line)`,
    [job, data.map((row) => row.id)])
  return data.length
}

async function takeAll(trx: Knex, organization: string, page: Page, job: string): Promise<number> {
  const found = matching(trx, organization, page)
  applyFilters(found, page, passportColumns)
  const ids = found.select('passports.id').limit(mostPublished + 1).toKnexQuery<{ id: string }>()
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into publish_units (job, line, passport)
     select ?, row_number() over (order by found.id) - 1, found.id from (?) as found`, [job, ids])
  if (rowCount > mostPublished) {
    throw invalid([
      { path: 'filters', code: 'too_many', message: `match more than ${mostPublished.toLocaleString('en')} passports` },
    ])
  }
  return rowCount
}

/** What a chunk did: units taken, passports published among them. */
export interface Published { taken: number; published: number }

/** Publishes the next units of a job, at most `most`, in the caller's transaction. Nothing is taken twice. */
export async function publishChunk(trx: Knex, job: string, organization: string, most: number): Promise<Published> {
  const { rows: units } = await trx.raw<{ rows: { passport: string }[] }>(
    `delete from publish_units
     where job = ? and line in (select line from publish_units where job = ? order by line limit ?) returning passport`, [job, job, most])
  if (units.length === 0) return { taken: 0, published: 0 }
  // Locked in the order of ids, as every writer of many passports does, so that two never wait for each other.
  const drafts = await PassportRow.query(trx).modify('ofOrganization', organization).select('passports.id')
    .whereRaw('passports.id = any(?::uuid[])', [units.map((unit) => unit.passport)]).where('status', 'draft')
    .orderBy('passports.id').forUpdate()
  const ids = drafts.map((row) => row.id)
  await PassportRow.query(trx)
    .patch({ status: 'published', updatedAt: raw('now()') })
    .whereRaw('id = any(?::uuid[])', [ids])
  const published = await PassportRow.query(trx).modify('shown').whereRaw('passports.id = any(?::uuid[])', [ids])
  await recordPassportEvents(trx, 'publish', published)
  return { taken: units.length, published: published.length }
}
