import type { Knex } from 'knex'
import type { JobError } from '../../../kernel/job.ts'
import {
  completeCertification,
  failAwaitedCertification,
  recordEventsByIds,
  recordPassportTallies,
} from '../passports/index.ts'
import { settleCertificates } from './certificates.store.ts'
import { createBoundedSql } from '../selection/index.ts'

/** The roots of a job: how many wait for their outcome, and which have one that their passports do not know yet. */
export interface AnchoredRoots {
  waiting: number
  ready: { id: string; failed: boolean; reason: string | null }[]
}

export async function readRoots(db: Knex, job: string): Promise<AnchoredRoots> {
  const { rows } = await db.raw<{ rows: { id: string; status: string; reason: string | null; unsettled: boolean }[] }>(
    `select a.id, a.status, a.reason,
       exists (select from passport_credentials c where c.anchor = a.id and not c.settled) as unsettled
     from anchors a where a.job = ? order by a.network, a.part`,
    [job],
  )
  return {
    waiting: rows.filter(({ status }) => status === 'queued').length,
    ready: rows
      .filter(({ status, unsettled }) => status !== 'queued' && unsettled)
      .map(({ id, status, reason }) => ({ id, reason, failed: status === 'failed' })),
  }
}

export interface SettledRow {
  passport: string
  line: number
}

/**
 * Marks passports below an anchored root as certified, unless a newer version of them is on its way, and makes this
 * version the one that is served.
 */
export async function settleCertifiedPassports(
  trx: Knex,
  job: string,
  settledRows: readonly SettledRow[],
): Promise<void> {
  const passports = settledRows.map(({ passport }) => passport)
  await recordEventsByIds(trx, 'update', await completeCertification(trx, job, passports))
  await recordPassportTallies(trx, 'certified', passports)
}

/**
 * Marks passports below a root that will never be anchored as failed.
 * @param reason why the root was refused
 * @returns one error for each passport
 */
export async function settleFailedPassports(
  trx: Knex,
  job: string,
  reason: string | null,
  settledRows: readonly SettledRow[],
): Promise<JobError[]> {
  const message = reason ?? 'The chain refused the root.'
  const passports = settledRows.map(({ passport }) => passport)
  await failAwaitedCertification(trx, job, passports, message)
  await recordPassportTallies(trx, 'certifyFailed', passports)
  const lines = settledRows.map(({ line }) => line).sort((one, other) => one - other)
  return lines.map((line) => ({ line, code: 'CERTIFY_FAILED', message }))
}

/**
 * Marks the next certificates below a root as settled. It locks their passports in the order of ids, as every writer of
 * many passports does.
 */
export async function settleNextRows(trx: Knex, root: string, maxPassports: number): Promise<SettledRow[]> {
  const next = createBoundedSql(
    `select passport as subject, line from passport_credentials
     where anchor = ? and not settled order by passport limit ?`,
    'subject',
  )
  const { rows } = await trx.raw<{ rows: SettledRow[] }>(
    `with told as materialized (${next})
     select told.subject as passport, told.line from told join passports p on p.id = told.subject order by p.id for update of p`,
    [root, maxPassports],
  )
  await settleCertificates(
    trx,
    root,
    rows.map(({ passport }) => passport),
  )
  return rows
}
