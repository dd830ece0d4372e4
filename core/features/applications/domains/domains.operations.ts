import type { Knex } from 'knex'
import { listPage } from '../../../database/list.ts'
import { operation, type Operation } from '../../../kernel/operation.ts'
import { mapListed } from '../../../kernel/page.ts'
import { notFound } from '../../../kernel/problem.ts'
import { string } from '../../../kernel/schema.ts'
import { findApplication } from '../applications.ts'
import { asciiOf, recordNameOf } from './domains.hosts.ts'
import { countCheck, tooManyChecks } from './domains.limit.ts'
import { ApplicationDomain } from './domains.model.ts'
import { readSecret } from './domains.names.ts'
import { findProof } from './domains.proof.ts'
import { DomainProof, DomainProofList, domainColumns, domainList } from './domains.schema.ts'
import { keepResult } from './domains.verdict.ts'

const tag = 'Applications'

const listDomains = operation({
  id: 'list_application_domains_v1', method: 'GET', path: '/v1/applications/:appId/domains', tag,
  summary: 'List domains and their proofs',
  description: 'Each domain with the DNS record that proves it. Only proven ones count: for CORS, product codes and what people are shown.',
  access: 'application:read', mcp: 'list_application_domains', mcpType: 'tool',
  list: domainList, returns: { 200: DomainProofList },
}).readBy(async ({ params, page, work }) => {
  const { id } = await findApplication(work, params.appId)
  const value = await readSecret(work.trx, id) ?? ''
  const listed = await listPage(ApplicationDomain.query(work.trx).modify('ofApplication', id), page, domainColumns)
  return mapListed(listed, (row) => presentDomain(row, value))
})

const checkOne = operation({
  id: 'check_application_domain_v1', method: 'POST', path: '/v1/applications/:appId/domains/:domain/check', tag,
  summary: 'Look for the proof of a domain',
  description: 'Looks for the DNS record, then for the file. At most 10 checks an hour. The newer proof counts.',
  access: 'application:update', mcp: 'check_application_domain',
  hints: { idempotentHint: true, openWorldHint: true },
  params: {
    domain: string('The domain.', {
      pattern: '^([*][.])?[^\\s/?#%*.]+([.][^\\s/?#%*.]+)+$', maxLength: 253, examples: ['shop.example.com'],
    }),
  },
  returns: { 200: DomainProof }, problems: ['RATE_LIMITED'],
}).performedBy(async ({ params, context, work, finish }) => {
  const { id, organization } = await findApplication(work, params.appId)
  const domain = await findDomain(work.trx, id, params.domain)
  const value = await readSecret(work.trx, id) ?? ''
  const seconds = await countCheck(context.db, organization, domain.domain)
  if (seconds > 0) throw tooManyChecks(seconds)
  const result = await findProof(context, domain.domain, value)
  return finish(async ({ trx }) => {
    const kept = await keepResult(trx, context, { domain, result, asked: true })
    if (!kept) throw notFound()
    return presentDomain(kept, value)
  })
})

async function findDomain(trx: Knex, application: string, name: string): Promise<ApplicationDomain> {
  const domain = asciiOf(name)
  const row = domain && await ApplicationDomain.query(trx).modify('ofApplication', application).findOne({ domain })
  if (!row) throw notFound()
  return row
}

/** Shows a domain with what its application publishes to prove it. */
function presentDomain(row: ApplicationDomain, value: string): DomainProof {
  const { id, domain, status, reason, checkedAt, provenAt, createdAt, updatedAt } = row
  return {
    id, domain, status, record: { type: 'TXT', name: recordNameOf(domain), value }, checkedAt,
    provenAt: status === 'proven' ? provenAt : null, ...(reason !== null && { reason }), createdAt, updatedAt,
  }
}

export const domainOperations: Operation[] = [listDomains, checkOne]
