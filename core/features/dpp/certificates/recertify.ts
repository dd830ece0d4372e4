import type { Knex } from 'knex'
import { createValidationProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { insertJobItems, insertJobItemsFrom, type JobItem } from '../../../queue/batches/items.ts'
import { hashContent } from '../../certification/index.ts'
import { createUnusableNetworkIssue, getCertifiedContent } from '../content/index.ts'
import type { CertifyPayload } from './certify.jobs.ts'
import { clearCertification, type PassportRow, queueCertification } from '../passports/index.ts'
import { SheetRow } from '../sheets/index.ts'

const isCertified = ({ certificationStatus }: Pick<PassportRow, 'certificationStatus'>) =>
  certificationStatus === 'certified' || certificationStatus === 'pending'

/**
 * The consequence of a passport's change for its certificate: it is kept, cleared (`forgotten`), made again for the
 * content that changed (`again`), or made again although the content is the same (`anew`).
 */
export type CertificateFate = 'kept' | 'forgotten' | 'again' | 'anew'

/**
 * Decides the consequence of a passport's change for its certificate, so that the certificate stays true. A passport
 * whose certified values changed is certified again. A passport that has nothing left to certify is not certified any
 * more; nor is an archived one whose certified values changed.
 * @param sheet the sheet of the passport, in the sheet flow
 */
export function decideCertificateFate(
  before: PassportRow,
  after: PassportRow,
  sheet: SheetRow | null,
): CertificateFate {
  if (!isCertified(before)) return 'kept'
  const [old, now] = [getCertifiedContent(before, sheet), getCertifiedContent(after, sheet)]
  if (now === null) return 'forgotten'
  const moved = (before.certificateUri === null) !== (after.certificateUri === null)
  // The identifier of the subject is not part of the hashed content, but the certificate has it.
  const renamed = before.product?.['id'] !== after.product?.['id']
  if (!moved && !renamed && old !== null && hashContent(old) === hashContent(now)) return 'kept'
  if (after.status === 'archived') return 'forgotten'
  return renamed ? 'anew' : 'again'
}

/**
 * Applies `decideCertificateFate` to a passport that was changed. Every change of a passport calls it.
 * @throws VALIDATION_FAILED if the passport has to be certified again on a network on which nothing can be sent
 */
export async function recertifyPassport(work: Work, before: PassportRow, after: PassportRow): Promise<void> {
  if (!isCertified(before)) return
  const sheet = before.sheet === null ? null : ((await SheetRow.query(work.trx).findById(before.sheet)) ?? null)
  const fate = decideCertificateFate(before, after, sheet)
  const { organization, network } = after
  if ((fate === 'again' || fate === 'anew') && !work.context.chains.canSend(network))
    throw createValidationProblem([createUnusableNetworkIssue(network)])
  const jobs = await recertifyPassports(work.trx, work.context, organization, [{ passport: after.id, fate }])
  work.afterCommit(() => jobs.forEach((job) => work.context.queue.notifyWorker(job)))
}

/**
 * Applies the consequences to the certificates of several passports. Passports that are certified again share one job
 * for each kind of consequence.
 * @returns the jobs that the caller has to notify workers of
 */
export async function recertifyPassports(
  trx: Knex,
  context: Context,
  organization: string,
  fates: readonly { passport: string; fate: CertificateFate }[],
): Promise<string[]> {
  const selectPassports = (wanted: CertificateFate) =>
    fates.filter(({ fate }) => fate === wanted).map(({ passport }) => passport)
  const forgotten = selectPassports('forgotten')
  if (forgotten.length > 0) await clearCertification(trx, forgotten)
  const jobs: string[] = []
  for (const [passports, payload] of [
    [selectPassports('again'), {}],
    [selectPassports('anew'), { anew: true }],
  ] as const) {
    if (passports.length > 0) jobs.push(await startCertifyJob(trx, context, organization, passports, payload))
  }
  return jobs
}

async function startCertifyJob(
  trx: Knex,
  { queue }: Context,
  organization: string,
  passports: readonly string[],
  payload: CertifyPayload,
): Promise<string> {
  const job = await queue.enqueue(trx, { type: 'certify', organization, total: passports.length, payload })
  const items = passports.map((subject, line): JobItem => ({ line, subject }))
  await insertJobItems(trx, { job, step: 'certify' }, items)
  await queueCertification(trx, job, passports)
  return job
}

/**
 * Starts a job for a sheet whose name, values or certified paths changed. The job finds out which of the sheet's
 * certified passports the change concerns.
 */
export async function recertifySheet(work: Work, { id, organization, application }: SheetRow): Promise<void> {
  const { trx, context } = work
  const {
    rows: [found],
  } = await trx.raw<{ rows: { certified: boolean }[] }>(
    `select exists (select from passports where sheet = ? and certification_status in ('certified', 'pending'))
       as certified`,
    [id],
  )
  if (!found?.certified) return
  const payload: CertifyPayload = { changed: true }
  const job = await context.queue.enqueue(trx, { type: 'certify', organization, application, total: 0, payload })
  const total = await insertJobItemsFrom(
    trx,
    { job, step: 'certify' },
    `select row_number() over (order by id) - 1 as line, id as subject from passports
     where sheet = ? and certification_status in ('certified', 'pending')`,
    [id],
  )
  await context.queue.advanceJob(trx, job, { total })
  work.afterCommit(() => context.queue.notifyWorker(job))
}
