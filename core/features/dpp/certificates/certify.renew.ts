import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { validateCertifiedContent, issueCredentials, readProtectedTerms } from '../../certification/index.ts'
import { deleteCertificates, replaceCertificates } from './certificates.store.ts'
import { readContents, readPassportRows, type CertificationTask } from './certify.chunk.ts'
import { copyStatusToVersions } from '../statuses/index.ts'

export interface StaleCredential {
  id: string
  passport: string
}

/**
 * Lists the next certificates of a job that another key than the active one signed and that have no root yet: a key
 * that was rotated or revoked meanwhile proves nothing that is anchored later.
 */
export async function listStaleCredentials(
  trx: Knex,
  { job, organization }: CertificationTask,
  maxCredentials: number,
): Promise<StaleCredential[]> {
  const { rows } = await trx.raw<{ rows: StaleCredential[] }>(
    `select id, passport from passport_credentials where job = ? and anchor is null and key is not null and key not in (
       select id from certification_keys where organization = ? and status = 'active')
     order by passport limit ?`,
    [job, organization, maxCredentials],
  )
  return rows
}

/**
 * Signs certificates again, with the active key and the passports' present content. A passport that has nothing to
 * certify any more loses its version.
 */
export async function renewCredentials(
  trx: Knex,
  context: Context,
  { job, organization }: CertificationTask,
  stale: readonly StaleCredential[],
): Promise<void> {
  const rows = await readPassportRows(
    trx,
    organization,
    stale.map(({ passport }) => passport),
    true,
  )
  const getContent = await readContents(trx, rows.values())
  const protectedTerms = await readProtectedTerms(trx)
  const subjects = [...rows.values()].flatMap((row) => {
    const content = getContent(row)
    return content && validateCertifiedContent(content, protectedTerms).length === 0
      ? [{ passport: row.id, content }]
      : []
  })
  const issued = await issueCredentials(trx, context, organization, subjects)
  await copyStatusToVersions(trx, issued)
  await replaceCertificates(trx, job, issued)
  const signed = new Set(issued.map(({ passport }) => passport))
  const gone = stale.filter(({ passport }) => !signed.has(passport)).map(({ id }) => id)
  if (gone.length > 0) await deleteCertificates(trx, gone)
}
