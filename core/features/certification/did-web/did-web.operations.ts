import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { DidWebCheck, DidWebConfig, DidWebDomain } from '../rotation/index.ts'
import { chooseDidWebDomain, readDidWebConfig } from './did-web.ts'
import { checkConfiguredDomain } from './domain-checks.ts'

const tag = 'Certification keys'
const path = '/v1/dpp/certification-key/did-web-config'

const readConfigOperation = declareOperation({
  id: 'get_did_web_config_v1',
  method: 'GET',
  path,
  access: 'dpp:read',
  returns: { 200: DidWebConfig },
  document: {
    tag,
    summary: 'Read the did:web configuration',
    description: 'The domain, the document to publish under it, and what the last check found.',
    mcpName: 'get_did_web_config',
  },
}).withReadHandler(({ caller, work }) => readDidWebConfig(work.trx, work.context, caller.organization))

const setDomainOperation = declareOperation({
  id: 'set_did_web_config_v1',
  method: 'PUT',
  path,
  access: 'dpp:update',
  body: DidWebDomain,
  returns: { 200: DidWebConfig },
  problemCodes: ['DPP_DID_WEB_DOMAIN_ALREADY_TAKEN'],
  document: {
    tag,
    summary: 'Set the did:web domain',
    description:
      'Pending, not reserved, until verify finds `didDocument` at `https://<domain>/.well-known/did.json`; until then '
      + 'the old identifier signs. Keep the document for what was signed.',
    mcpName: 'set_did_web_config',
  },
}).withTransactionHandler(async ({ body, caller, work }) => {
  await chooseDidWebDomain(work, caller.organization, body.domain)
  return readDidWebConfig(work.trx, work.context, caller.organization)
})

const verifyDomainOperation = declareOperation({
  id: 'verify_did_web_config_v1',
  method: 'POST',
  path: `${path}/verify`,
  access: 'dpp:update',
  returns: { 200: DidWebCheck },
  problemCodes: ['DPP_DID_WEB_DOMAIN_NOT_CONFIGURED', 'DPP_DID_WEB_DOMAIN_ALREADY_TAKEN'],
  document: {
    tag,
    summary: 'Check the published DID document',
    description:
      'Result in `lastCheck`. A pending domain that has the document becomes active; a new key in it goes to the '
      + 'networks.',
    mcpName: 'verify_did_web_config',
    mcpHints: { idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(async ({ caller, work, finish }) => {
  const store = await checkConfiguredDomain(work, caller.organization)
  return finish(store)
})

export const didWebOperations: Operation[] = [readConfigOperation, setDomainOperation, verifyDomainOperation]
