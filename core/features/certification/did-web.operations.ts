import { operation, type Operation } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import { bareHost } from './did-web.domain.ts'
import { DidWebCheck, DidWebConfig, DidWebDomain } from './did-web.schema.ts'
import { readConfig, setDomain } from './did-web.ts'
import { keepLook, lookAtDomain } from './did-web/domain-checks.ts'
import { configuredDomain } from './did-web/domain-rows.ts'

const tag = 'Certification keys'
const path = '/v1/dpp/certification-key/did-web-config'

const read = operation({
  id: 'get_did_web_config_v1',
  method: 'GET',
  path,
  summary: 'Read the did:web configuration',
  description: 'The domain, the document to publish under it, and what the last check found.',
  tag,
  access: 'dpp:read',
  mcp: 'get_did_web_config',
  returns: { 200: DidWebConfig },
}).readBy(({ caller, work }) => readConfig(work.trx, work.context, caller.organization))

const set = operation({
  id: 'set_did_web_config_v1',
  method: 'PUT',
  path,
  summary: 'Set the did:web domain',
  tag,
  description:
    'The domain is pending, and reserved for nobody, until verify has found `didDocument` at ' +
    '`https://<domain>/.well-known/did.json`; the identifier before signs until then. Keep the document for what was signed.',
  access: 'dpp:update',
  mcp: 'set_did_web_config',
  body: DidWebDomain,
  returns: { 200: DidWebConfig },
  problems: ['DPP_DID_WEB_DOMAIN_ALREADY_TAKEN'],
}).handledBy(async ({ body, caller, work }) => {
  const { organization } = caller
  const domain = body.domain === null ? null : bareHost(body.domain, !work.context.settings.production)
  await setDomain(work.trx, work.context, organization, domain)
  return readConfig(work.trx, work.context, organization)
})

const verify = operation({
  id: 'verify_did_web_config_v1',
  method: 'POST',
  path: `${path}/verify`,
  summary: 'Check the published DID document',
  tag,
  description: 'Fetches the DID document from the domain and keeps what came of it as `lastCheck`. A pending domain ' +
    'that has it becomes active; a new key in it goes on to the networks.',
  access: 'dpp:update',
  mcp: 'verify_did_web_config',
  hints: { idempotentHint: true, openWorldHint: true },
  returns: { 200: DidWebCheck },
  problems: ['DPP_DID_WEB_DOMAIN_NOT_CONFIGURED', 'DPP_DID_WEB_DOMAIN_ALREADY_TAKEN'],
}).performedBy(async ({ caller, context, work, finish }) => {
  const { organization } = caller
  const configured = await configuredDomain(work.trx, organization)
  if (!configured) throw notConfigured()
  const { domain } = configured
  const look = await lookAtDomain(context, organization, domain)
  return finish(async ({ trx }) => {
    const check = await keepLook(trx, context, { organization, domain, look })
    if (check === null) throw notConfigured()
    return check
  })
})

const notConfigured = () => problem('DPP_DID_WEB_DOMAIN_NOT_CONFIGURED', 'Set a domain for did:web first.')

export const didWebOperations: Operation[] = [read, set, verify]
