import type { Knex } from 'knex'
import type { JobError } from '../../kernel/job.ts'
import { recordEventsOf } from './passports.events.ts'
import { bounded } from './units.ts'

/** What became of a job's roots: how many are on their way, and which have an outcome to pass on. */
export interface Roots { waiting: number; ready: { id: string; failed: boolean; reason: string | null }[] }

export async function rootsOf(db: Knex, job: string): Promise<Roots> {
  const { rows } = await db.raw<{ rows: { id: string; status: string; reason: string | null; unsettled: boolean }[] }>(
    `select a.id, a.status, a.reason,
       exists (select from passport_credentials c where c.anchor = a.id and not c.settled) as unsettled
     from anchors a where a.job = ? order by a.network, a.part`, [job])
  return {
    waiting: rows.filter(({ status }) => status === 'queued').length,
    ready: rows.filter(({ status, unsettled }) => status !== 'queued' && unsettled)
      .map(({ id, status, reason }) => ({ id, reason, failed: status === 'failed' })),
  }
}

interface Told { passport: string; line: number }

/**
 * Tells the next passports below a root that it stands: they are certified, unless a newer version of them is on its
 * way, and what is served is this version. @returns how many
 */
export async function settleCertified(trx: Knex, job: string, root: string, most: number): Promise<number> {
  const told = await nextTold(trx, root, most)
  const ids = told.map(({ passport }) => passport)
  const { rows: changed } = await trx.raw<{ rows: { id: string }[] }>(
    `update passports p set credential = c.id, content_hash = c.content_hash, ipfs_cid = c.cid, certified_at = now(),
       certification_status = case when p.certify_job = c.job then 'certified' else p.certification_status end,
       certify_job_status = case when p.certify_job = c.job then 'completed' else p.certify_job_status end,
       updated_at = now()
     from passport_credentials c
     where c.job = ? and c.passport = any(?::uuid[]) and p.id = c.passport and p.certification_status <> 'none'
       and not exists (select from passport_credentials newer where newer.id = p.credential and newer.version > c.version)
     returning p.id`, [job, ids])
  await recordEventsOf(trx, 'update', changed.map(({ id }) => id))
  return told.length
}

/** Tells the next passports below a root that it will never stand. @returns an error for each */
export async function settleFailed(
  trx: Knex, job: string, { id, reason }: { id: string; reason: string | null }, most: number,
): Promise<JobError[]> {
  const message = reason ?? 'The chain refused the root.'
  const told = await nextTold(trx, id, most)
  await trx.raw(
    `update passports set certification_status = 'error', certify_job_status = 'failed', certify_job_error = ?,
       updated_at = now() where certify_job = ? and id = any(?::uuid[])`, [message, job, told.map(({ passport }) => passport)])
  const lines = told.map(({ line }) => line).sort((one, other) => one - other)
  return lines.map((line) => ({ line, code: 'CERTIFY_FAILED', message }))
}

/** Passports that one statement gives back, so that none comes near its time limit. */
const givenBack = 5_000
const abandoned = 'The job could not be carried out.'

/** A job that failed for good leaves nothing pending: what it had still to certify can be certified by another. */
export async function abandonCertificates(trx: Knex, job: string, organization: string): Promise<void> {
  await inPortions((after) => trx.raw<{ rows: Given[] }>(
    `update passports set certification_status = 'error', certify_job_status = 'failed', certify_job_error = ?, updated_at = now()
     from (select id from passports where organization = ? and certify_job_status = 'pending' and certify_job = ? and id > ?
       order by id limit ? for update) as given where passports.id = given.id returning passports.id`,
    [abandoned, organization, job, after, givenBack]))
}

/** Certificates that the job did not come to and that may say what is not so any more do not count as such. */
export async function abandonChanged(trx: Knex, job: string): Promise<void> {
  await inPortions((after) => trx.raw<{ rows: Given[] }>(
    `update passports set certification_status = 'error', certify_job = ?, certify_job_status = 'failed', certify_job_error = ?,
       updated_at = now()
     from (select id from passports where id in (select passport from passport_units where job = ?) and id > ?
       order by id limit ? for update) as given
     where passports.id = given.id and certification_status = 'certified' returning passports.id`,
    [job, abandoned, job, after, givenBack]))
}

interface Given { id: string }

async function inPortions(portion: (after: string) => Promise<{ rows: Given[] }>): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await portion(after)
    if (rows.length < givenBack) return
    after = rows.reduce((last, { id }) => id > last ? id : last, after)
  }
}

/** Their rows locked in the order of ids, as every writer of many passports does. */
async function nextTold(trx: Knex, root: string, most: number): Promise<Told[]> {
  const next = bounded('select passport, line from passport_credentials where anchor = ? and not settled order by passport limit ?', 'passport')
  const { rows } = await trx.raw<{ rows: Told[] }>(
    `with told as materialized (${next})
     select told.passport, told.line from told join passports p on p.id = told.passport order by p.id for update of p`, [root, most])
  await trx.raw('update passport_credentials set settled = true where anchor = ? and passport = any(?::uuid[])',
    [root, rows.map(({ passport }) => passport)])
  return rows
}
