import { invalid } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { contentHash } from '../certification/index.ts'
import { certifiedContent } from './certified.ts'
import { forgetCertificates } from './certify.chunk.ts'
import type { CertifyPayload } from './certify.jobs.ts'
import { unusable } from './networks.rules.ts'
import type { PassportRow } from './passports.model.ts'
import { SheetRow } from './sheets.model.ts'

const isCertified = ({ certificationStatus }: Pick<PassportRow, 'certificationStatus'>) =>
  certificationStatus === 'certified' || certificationStatus === 'pending'

/**
 * Called with every change of a passport: what its certificate says has to stay true. A certified value that changed
 * is certified again, by a job of its own; where nothing is left to certify the passport is not certified any more, nor
 * is one that was changed after, or by, being archived.
 * @throws VALIDATION_FAILED where its network has become one that nothing can be sent on
 */
export async function recertify(work: Work, before: PassportRow, after: PassportRow): Promise<void> {
  if (!isCertified(before)) return
  const sheet = before.sheet === null ? null : await SheetRow.query(work.trx).findById(before.sheet) ?? null
  const [old, now] = [certifiedContent(before, sheet), certifiedContent(after, sheet)]
  if (now === null) return forgetCertificates(work.trx, [after.id])
  const moved = (before.certificateUri === null) !== (after.certificateUri === null)
  // The subject's identifier is no part of the content that is hashed, and stands in the certificate all the same.
  const renamed = before.product?.['id'] !== after.product?.['id']
  if (!moved && !renamed && old !== null && contentHash(old) === contentHash(now)) return
  if (after.status === 'archived') return forgetCertificates(work.trx, [after.id])
  if (!work.context.chains.usable(after.network)) throw invalid([unusable(after.network)])
  const { organization } = after
  const payload: CertifyPayload = renamed ? { anew: true } : {}
  const job = await work.context.queue.enqueue(work.trx, { type: 'certify', organization, total: 1, payload })
  await work.trx('passport_units').insert({ job, step: 'certify', line: 0, passport: after.id })
  await work.trx.raw(
    `update passports set certification_status = 'pending', certify_job = ?, certify_job_status = 'pending',
       certify_job_error = null where id = ?`, [job, after.id])
  work.afterCommit(() => work.context.queue.ring(job))
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
