import type { Knex } from 'knex'
import { createModelSource, listPage } from '../../../database/list/index.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { mapPageResult } from '../../../kernel/page.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { string } from '../../../kernel/schema.ts'
import { readApplication } from '../applications.ts'
import { toAsciiDomain, getProofRecordName } from './domains.hosts.ts'
import { countCheck, createTooManyChecksProblem } from './domains.limit.ts'
import { ApplicationDomain } from './domains.model.ts'
import { findDomainSecret } from './domains.names.ts'
import { checkProof } from './domains.proof.ts'
import { DomainProof, DomainProofList, domainColumns, domainList } from './domains.schema.ts'
import { storeCheckResult } from './domains.results.ts'

const tag = 'Applications'

const listDomainsOperation = declareOperation({
  id: 'list_application_domains_v1',
  method: 'GET',
  path: '/v1/applications/:appId/domains',
  access: 'application:read',
  list: domainList,
  returns: { 200: DomainProofList },
  document: {
    tag,
    summary: 'List domains and their proofs',
    description: 'Each with the DNS record that proves it. Only proven ones count for CORS, product codes and pages.',
    mcpName: 'list_application_domains',
  },
}).withReadHandler(async ({ params, page, work }) => {
  const { id } = await readApplication(work, params.appId)
  const value = (await findDomainSecret(work.trx, id)) ?? ''
  const domains = createModelSource(ApplicationDomain.query(work.trx).modify('ofApplication', id))
  return mapPageResult(await listPage(domains, page, domainColumns), (row) => presentDomain(row, value))
})

const checkDomainOperation = declareOperation({
  id: 'check_application_domain_v1',
  method: 'POST',
  path: '/v1/applications/:appId/domains/:domain/check',
  access: 'application:update',
  params: {
    domain: string('The domain.', {
      pattern: '^([*][.])?[^\\s/?#%*.]+([.][^\\s/?#%*.]+)+$',
      maxLength: 253,
      examples: ['shop.example.com'],
    }),
  },
  returns: { 200: DomainProof },
  problemCodes: ['RATE_LIMITED'],
  document: {
    tag,
    summary: 'Look for the proof of a domain',
    description: 'By DNS record, then file. At most 10 an hour. The newer proof counts.',
    mcpName: 'check_application_domain',
    mcpHints: { idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(async ({ params, context, work, finish }) => {
  const { id, organization } = await readApplication(work, params.appId)
  const domain = await readDomain(work.trx, id, params.domain)
  const value = (await findDomainSecret(work.trx, id)) ?? ''
  const seconds = await countCheck(context.db, organization, domain.domain)
  if (seconds > 0) throw createTooManyChecksProblem(seconds)
  const result = await checkProof(context, domain.domain, value)
  return finish(async ({ trx }) => {
    const updated = await storeCheckResult(trx, context, { domain, result, isRequested: true })
    if (!updated) throw createNotFoundProblem()
    return presentDomain(updated, value)
  })
})

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

export const domainOperations: Operation[] = [listDomainsOperation, checkDomainOperation]
