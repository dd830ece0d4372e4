import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { string } from '../../../kernel/schema.ts'
import { DomainProof, DomainProofList, domainList } from './domains.schema.ts'
import { checkDomain, listDomains } from './domains.ts'
import { applicationEntity } from '../index.ts'

const tag = 'Applications'

const listDomainsOperation = declareOperation({
  id: 'list_application_domains_v1',
  method: 'GET',
  path: '/v1/applications/:appId/domains',
  access: 'application:read',
  scope: { params: { appId: applicationEntity } },
  list: domainList,
  returns: { 200: DomainProofList },
  document: {
    tag,
    summary: 'List domains and their proofs',
    description: 'Each with the DNS record that proves it. Only proven ones count for CORS, product codes and pages.',
    mcpName: 'list_application_domains',
  },
}).withReadHandler(({ params, page, work }) => listDomains(work, params.appId, page))

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
}).withOutboundHandler(async ({ params, work, finish }) => {
  const store = await checkDomain(work, params.appId, params.domain)
  return finish(store)
})

export const domainOperations: Operation[] = [listDomainsOperation, checkDomainOperation]
