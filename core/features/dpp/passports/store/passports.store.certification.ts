import type { Knex } from 'knex'
import { jobSubjectsSql } from '../../../../queue/batches/items.ts'
import { recordPassportTallies } from '../passports.events.ts'
import { certificationStatus, certifyJobStatus } from '../passports.machine.ts'

/** The maximum number of passports that one statement returns. It keeps each statement well below its time limit. */
const passportsPerStatement = 5_000
const abandonedMessage = 'The job could not be carried out.'

/** Queues passports for certification by a job that a change of theirs started. That change has set `updated_at`. */
export async function queueCertification(trx: Knex, job: string, passports: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports set ${certificationStatus.set('queue')}, certify_job = ?, ${certifyJobStatus.set('queue')},
       certify_job_error = null where id = any(?::uuid[])`,
    [job, passports as string[]],
  )
}

/** Marks passports whose new certificates a job has signed as waiting for the chain. */
export async function awaitCertification(trx: Knex, job: string, passports: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports set ${certificationStatus.set('queue')}, certify_job = ?, ${certifyJobStatus.set('queue')},
       certify_job_error = null, updated_at = now()
     where id = any(?::uuid[]) and (certify_job is distinct from ? or certification_status <> 'pending')`,
    [job, passports as string[], job],
  )
}

/** The newest certificate of a passport. `settled`: its root has its outcome. */
export interface NewestCertificate {
  passport: string
  job: string
  settled: boolean
}

/**
 * Makes the newest certificate of passports count again where a change was undone before it was certified. That
 * certificate is anchored or about to be.
 */
export async function restoreCertification(trx: Knex, newest: readonly NewestCertificate[]): Promise<void> {
  if (newest.length === 0) return
  await trx.raw(
    `update passports set ${certificationStatus.setWhen('newest.settled', 'restore', 'queue')},
       ${certifyJobStatus.setWhen('newest.settled', 'complete', 'queue')},
       certify_job = case when newest.settled then passports.certify_job else newest.job end,
       certify_job_error = null, updated_at = now()
     from unnest(?::uuid[], ?::uuid[], ?::boolean[]) as newest (passport, job, settled)
     where passports.id = newest.passport and (certification_status <> 'certified' or not newest.settled)`,
    [
      newest.map(({ passport }) => passport),
      newest.map(({ job }) => job),
      newest.map(({ settled }) => settled),
    ] as Knex.RawBinding[],
  )
}

/** Clears the certification of passports that have nothing to certify any more. */
export async function clearCertification(trx: Knex, passports: readonly string[]): Promise<void> {
  await trx.raw(
    `update passports set ${certificationStatus.set('clear')}, certified_at = null, content_hash = null, ipfs_cid = null,
       credential = null, ${certifyJobStatus.setWhen("certify_job_status = 'pending'", 'complete')},
       updated_at = now()
     where id = any(?::uuid[]) and ${certificationStatus.isPossible('clear')}`,
    [passports as string[]],
  )
}

/** Marks passports that a job cannot certify as failed, each with its message. */
export async function failCertification(
  trx: Knex,
  job: string,
  failures: readonly { passport: string | null; message: string }[],
): Promise<void> {
  await trx.raw(
    `update passports set ${certificationStatus.set('fail')}, certify_job = ?, ${certifyJobStatus.set('fail')},
       certify_job_error = failed.message, updated_at = now()
     from unnest(?::uuid[], ?::text[]) as failed (id, message) where passports.id = failed.id`,
    [job, failures.map(({ passport }) => passport), failures.map(({ message }) => message)] as Knex.RawBinding[],
  )
}

/** Marks those of the passports as failed that still wait for the certificate of this job. */
export async function failAwaitedCertification(
  trx: Knex,
  job: string,
  passports: readonly string[],
  message: string,
): Promise<void> {
  await trx.raw(
    `update passports set ${certificationStatus.set('fail')}, ${certifyJobStatus.set('fail')}, certify_job_error = ?,
       updated_at = now() where certify_job = ? and id = any(?::uuid[])`,
    [message, job, passports as string[]],
  )
}

/**
 * Makes the certificates that a job has anchored the ones that are served, unless a newer one is served already. A
 * passport that waits for another job stays as it is otherwise.
 * @returns the passports that were changed
 */
export async function completeCertification(trx: Knex, job: string, passports: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: PassportId[] }>(
    `update passports p set credential = c.id, content_hash = c.content_hash, ipfs_cid = c.cid, certified_at = now(),
       ${certificationStatus.setWhen('p.certify_job = c.job', 'certify')},
       ${certifyJobStatus.setWhen('p.certify_job = c.job', 'complete')},
       updated_at = now()
     from passport_credentials c
     where c.job = ? and c.passport = any(?::uuid[]) and p.id = c.passport and ${certificationStatus.isPossible('certify')}
       and not exists (select from passport_credentials newer where newer.id = p.credential and newer.version > c.version)
     returning p.id`,
    [job, passports as string[]],
  )
  return rows.map(({ id }) => id)
}

/** Marks the pending passports of a job that failed for good as failed, so that another job can certify them. */
export async function abandonPendingCertification(trx: Knex, job: string, organization: string): Promise<void> {
  await abandonInChunks(trx, (after) =>
    trx.raw<{ rows: PassportId[] }>(
      `update passports set ${certificationStatus.set('fail')}, ${certifyJobStatus.set('fail')}, certify_job_error = ?, updated_at = now()
     from (select id from passports where organization = ? and certify_job_status = 'pending' and certify_job = ? and id > ?
       order by id limit ? for update) as given where passports.id = given.id returning passports.id`,
      [abandonedMessage, organization, job, after, passportsPerStatement],
    ),
  )
}

/**
 * Marks certified passports that the job did not reach as failed, because what they certify may not be true any more.
 */
export async function abandonChangedCertification(trx: Knex, job: string): Promise<void> {
  await abandonInChunks(trx, (after) =>
    trx.raw<{ rows: PassportId[] }>(
      `update passports set ${certificationStatus.set('abandon')}, certify_job = ?, ${certifyJobStatus.set('fail')}, certify_job_error = ?,
       updated_at = now()
     from (select id from passports where id in (${jobSubjectsSql}) and id > ?
       order by id limit ? for update) as given
     where passports.id = given.id and ${certificationStatus.isPossible('abandon')} returning passports.id`,
      [job, abandonedMessage, job, after, passportsPerStatement],
    ),
  )
}

interface PassportId {
  id: string
}

async function abandonInChunks(
  trx: Knex,
  abandonChunk: (after: string) => Promise<{ rows: PassportId[] }>,
): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await abandonChunk(after)
    await recordPassportTallies(
      trx,
      'certifyFailed',
      rows.map(({ id }) => id),
    )
    if (rows.length < passportsPerStatement) return
    after = rows.reduce((last, { id }) => (id > last ? id : last), after)
  }
}
