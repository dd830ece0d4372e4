import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import { mapPageResult, type PageRequest, type PageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { readApplication } from '../applications.ts'
import { toAsciiDomain, getProofRecordName } from './domains.hosts.ts'
import { countCheck, createTooManyChecksProblem } from './domains.limit.ts'
import { ApplicationDomain } from './domains.model.ts'
import { findDomainSecret } from './domains.names.ts'
import { checkProof } from './domains.proof.ts'
import { storeCheckResult } from './domains.results.ts'
import { domainColumns, type DomainProof } from './domains.schema.ts'

/** Lists the domains of an application of the caller's organization, each with its proof. @throws NOT_FOUND */
export async function listDomains(
  work: Work,
  application: string,
  page: PageRequest,
): Promise<PageResult<DomainProof>> {
  const { id } = await readApplication(work, application)
  const value = (await findDomainSecret(work.trx, id)) ?? ''
  const domains = createModelSource(ApplicationDomain.query(work.trx).modify('ofApplication', id))
  return mapPageResult(await listPage(domains, page, domainColumns), (row) => presentDomain(row, value))
}

/**
 * Looks for the proof of a domain, by DNS record, then file. Opens no transaction.
 * @returns stores what was found, in the given work, and returns the domain
 * @throws NOT_FOUND; RATE_LIMITED after 10 checks of the domain in an hour
 */
export async function checkDomain(
  work: Work,
  application: string,
  name: string,
): Promise<(inner: Work) => Promise<DomainProof>> {
  const { context } = work
  const { id, organization } = await readApplication(work, application)
  const domain = await readDomain(work.trx, id, name)
  const value = (await findDomainSecret(work.trx, id)) ?? ''
  const seconds = await countCheck(context.db, organization, domain.domain)
  if (seconds > 0) throw createTooManyChecksProblem(seconds)
  const result = await checkProof(context, domain.domain, value)
  return async ({ trx }) => {
    const updated = await storeCheckResult(trx, context, { domain, result, isRequested: true })
    if (!updated) throw createNotFoundProblem()
    return presentDomain(updated, value)
  }
}

async function readDomain(trx: Knex, application: string, name: string): Promise<ApplicationDomain> {
  const domain = toAsciiDomain(name)
  const row = domain && (await ApplicationDomain.query(trx).modify('ofApplication', application).findOne({ domain }))
  if (!row) throw createNotFoundProblem()
  return row
}

/** Returns a domain as the API shows it, with the text that its application publishes to prove it. */
function presentDomain(row: ApplicationDomain, value: string): DomainProof {
  const { id, domain, status, reason, checkedAt, provenAt, createdAt, updatedAt } = row
  return {
    id,
    domain,
    status,
    record: { type: 'TXT', name: getProofRecordName(domain), value },
    checkedAt,
    provenAt: status === 'proven' ? provenAt : null,
    ...(reason !== null && { reason }),
    createdAt,
    updatedAt,
  }
}
