import type { Knex } from 'knex'
import { invalid } from '../../kernel/problem.ts'
import type { Context, Work } from '../../kernel/work.ts'
import { contentHash } from '../certification/index.ts'
import { certifiedContent } from './certified.ts'
import { forgetCertificates } from './certify.chunk.ts'
import type { CertifyPayload } from './certify.jobs.ts'
import { unusable } from './networks.rules.ts'
import type { PassportRow } from './passports.model.ts'
import { SheetRow } from './sheets.model.ts'

const isCertified = ({ certificationStatus }: Pick<PassportRow, 'certificationStatus'>) =>
  certificationStatus === 'certified' || certificationStatus === 'pending'

/** What becomes of a certificate when its passport changes. */
export type CertificateFate = 'kept' | 'forgotten' | 'again' | 'anew'

/**
 * What a certificate says has to stay true. A certified value that changed is certified again; where nothing is left to
 * certify the passport is not certified any more, nor is one that was changed after, or by, being archived.
 * @param sheet of the passport, in the sheet flow
 */
export function certificateFate(before: PassportRow, after: PassportRow, sheet: SheetRow | null): CertificateFate {
  if (!isCertified(before)) return 'kept'
  const [old, now] = [certifiedContent(before, sheet), certifiedContent(after, sheet)]
  if (now === null) return 'forgotten'
  const moved = (before.certificateUri === null) !== (after.certificateUri === null)
  // The subject's identifier is no part of the content that is hashed, and stands in the certificate all the same.
  const renamed = before.product?.['id'] !== after.product?.['id']
  if (!moved && !renamed && old !== null && contentHash(old) === contentHash(now)) return 'kept'
  if (after.status === 'archived') return 'forgotten'
  return renamed ? 'anew' : 'again'
}

/**
 * Called with every change of a passport; see `certificateFate`.
 * @throws VALIDATION_FAILED where its network has become one that nothing can be sent on
 */
export async function recertify(work: Work, before: PassportRow, after: PassportRow): Promise<void> {
  if (!isCertified(before)) return
  const sheet = before.sheet === null ? null : await SheetRow.query(work.trx).findById(before.sheet) ?? null
  const fate = certificateFate(before, after, sheet)
  const { organization, network } = after
  if ((fate === 'again' || fate === 'anew') && !work.context.chains.usable(network)) throw invalid([unusable(network)])
  const jobs = await recertifyAll(work.trx, work.context, organization, [{ passport: after.id, fate }])
  work.afterCommit(() => jobs.forEach((job) => work.context.queue.ring(job)))
}

/** Does to certificates what was found, by one job for all of those that are certified again. @returns jobs to ring */
export async function recertifyAll(
  trx: Knex, context: Context, organization: string, fates: readonly { passport: string; fate: CertificateFate }[],
): Promise<string[]> {
  const of = (wanted: CertificateFate) => fates.filter(({ fate }) => fate === wanted).map(({ passport }) => passport)
  const forgotten = of('forgotten')
  if (forgotten.length > 0) await forgetCertificates(trx, forgotten)
  const jobs: string[] = []
  for (const [passports, payload] of [[of('again'), {}], [of('anew'), { anew: true }]] as const) {
    if (passports.length > 0) jobs.push(await startCertifying(trx, context, organization, passports, payload))
  }
  return jobs
}

async function startCertifying(
  trx: Knex, { queue }: Context, organization: string, passports: readonly string[], payload: CertifyPayload,
): Promise<string> {
  const job = await queue.enqueue(trx, { type: 'certify', organization, total: passports.length, payload })
  await trx.raw(
    `insert into passport_units (job, step, line, passport)
     select ?, 'certify', unit.line - 1, unit.passport from unnest(?::uuid[]) with ordinality as unit (passport, line)`,
    [job, passports as string[]])
  await trx.raw(
    `update passports set certification_status = 'pending', certify_job = ?, certify_job_status = 'pending',
       certify_job_error = null where id = any(?::uuid[])`, [job, passports as string[]])
  return job
}

/** The same for a sheet whose name, values or certified paths changed: the job looks which passports that concerns. */
export async function recertifySheet(work: Work, { id, organization }: SheetRow): Promise<void> {
  const { trx, context } = work
  const { rows: [found] } = await trx.raw<{ rows: { certified: boolean }[] }>(
    `select exists (select from passports where sheet = ? and certification_status in ('certified', 'pending'))
       as certified`, [id])
  if (!found?.certified) return
  const payload: CertifyPayload = { changed: true }
  const job = await context.queue.enqueue(trx, { type: 'certify', organization, total: 0, payload })
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `insert into passport_units (job, step, line, passport)
     select ?, 'certify', row_number() over (order by id) - 1, id from passports
     where sheet = ? and certification_status in ('certified', 'pending')`, [job, id])
  await context.queue.advance(trx, job, { total: rowCount })
  work.afterCommit(() => context.queue.ring(job))
}
