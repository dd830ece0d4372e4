import type { Knex } from 'knex'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import type { Page } from '../../kernel/page.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { recordEventsOf } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { startStructure } from './structure.ts'
import { enrol } from './trust.ts'
import { handOn, nextUnits, startUnits, type Started } from './units.ts'

export interface PublishPayload { skipCertification: boolean }

/**
 * Starts to publish what the list parameters match: every draft without filters; exactly the page asked for where
 * there is one, else every match; batches and items come along with their models. The set is fixed now.
 * @throws VALIDATION_FAILED past 100,000, and where a passport to be certified is on a network nothing can be sent on
 */
export async function startPublish(
  work: Work, { organization }: OrganizationCaller, page: Page, skipCertification: boolean,
): Promise<Started> {
  const payload: PublishPayload = { skipCertification }
  const mine = PassportRow.query(work.trx).modify('ofOrganization', organization)
  const matching = page.filters.value.length === 0 ? mine.where('passports.status', 'draft') : mine
  return startUnits(work, { organization, step: 'publish', payload, page, matching, certifies: !skipCertification })
}

interface Publishing { job: string; organization: string; skipCertification: boolean }

/** What a chunk did: units taken, passports published among them, units that are to be certified yet. */
export interface Published { taken: number; published: number; handedOn: number }

/** Publishes the next units of a job, at most `most`, in the caller's transaction. Nothing is taken twice. */
export async function publishChunk(
  trx: Knex, context: Context, { job, organization, skipCertification }: Publishing, most: number,
): Promise<Published> {
  const units = await nextUnits(trx, job, 'publish', most)
  if (units.length === 0) return { taken: 0, published: 0, handedOn: 0 }
  // Locked in the order of ids, as every writer of many passports does, so that two never wait for each other.
  const drafts = await PassportRow.query(trx).modify('ofOrganization', organization).select('passports.id')
    .whereRaw('passports.id = any(?::uuid[])', [units.map((unit) => unit.passport)]).where('status', 'draft')
    .orderBy('passports.id').forUpdate()
  const ids = drafts.map((row) => row.id)
  await setPublished(trx, job, ids, skipCertification)
  const published = await recordEventsOf(trx, 'publish', ids)
  const products = published.filter(({ product }) => product !== null).map(({ id }) => id)
  await enrol(trx, products)
  await startStructure(trx, context, organization, products)
  const fresh = new Set(ids)
  const handed = skipCertification ? [] : units.filter(({ passport }) => fresh.has(passport))
  await handOn(trx, job, handed)
  return { taken: units.length, published: published.length, handedOn: handed.length }
}

/** In one change with what is to come: each change of a passport costs as much again. */
async function setPublished(trx: Knex, job: string, ids: readonly string[], skipCertification: boolean): Promise<void> {
  const certify = `certified_paths <> '{}' or (
    select sheets.certified_paths <> '[]' from sheets where sheets.id = passports.sheet)`
  await trx.raw(
    `update passports set status = 'published', updated_at = now(),
       certification_status = case when due.certify then 'pending' else passports.certification_status end,
       certify_job = case when due.certify then ?::uuid else passports.certify_job end,
       certify_job_status = case when due.certify then 'pending' else passports.certify_job_status end
     from (select id, not ?::boolean and coalesce(${certify}, false) as certify from passports where id = any(?::uuid[])) as due
     where passports.id = due.id`, [job, skipCertification, ids as string[]])
}
