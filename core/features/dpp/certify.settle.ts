import type { Knex } from 'knex'
import type { JobError } from '../../kernel/job.ts'
import { recordPassportEvents } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'

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
  await trx.raw(
    `update passports p set credential = c.id, content_hash = c.content_hash, ipfs_cid = c.cid, certified_at = now(),
       certification_status = case when p.certify_job = c.job then 'certified' else p.certification_status end,
       certify_job_status = case when p.certify_job = c.job then 'completed' else p.certify_job_status end,
       updated_at = now()
     from passport_credentials c
     where c.job = ? and c.passport = any(?::uuid[]) and p.id = c.passport and p.certification_status <> 'none'
       and not exists (select from passport_credentials newer where newer.id = p.credential and newer.version > c.version)`,
    [job, ids])
  const rows = await PassportRow.query(trx).modify('shown').whereRaw('passports.id = any(?::uuid[])', [ids])
  await recordPassportEvents(trx, 'update', rows)
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
  return told.map(({ line }) => ({ line, code: 'CERTIFY_FAILED', message }))
}

/** A job that failed for good leaves nothing pending: what it had still to certify can be certified by another. */
export async function abandonCertificates(trx: Knex, job: string, organization: string): Promise<void> {
  await trx.raw(
    `update passports set certification_status = 'error', certify_job_status = 'failed',
       certify_job_error = 'The job could not be carried out.', updated_at = now()
     where organization = ? and certify_job_status = 'pending' and certify_job = ?`, [organization, job])
}

/** Their rows locked in the order of ids, as every writer of many passports does. */
async function nextTold(trx: Knex, root: string, most: number): Promise<Told[]> {
  const { rows } = await trx.raw<{ rows: Told[] }>(
    `select c.passport, c.line from passport_credentials c join passports p on p.id = c.passport
     where c.anchor = ? and not c.settled order by c.passport limit ? for update of p`, [root, most])
  await trx.raw('update passport_credentials set settled = true where anchor = ? and passport = any(?::uuid[])',
    [root, rows.map(({ passport }) => passport)])
  return rows
}
