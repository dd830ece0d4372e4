import { operation, type Operation } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import { checkDomain } from './did-web.check.ts'
import { bareHost } from './did-web.domain.ts'
import { DidWebCheck, DidWebConfig, DidWebDomain } from './did-web.schema.ts'
import { keepCheck, readConfig, setDomain } from './did-web.ts'
import { domainOf, keysOf } from './keys.rows.ts'

const tag = 'Certification keys'
const path = '/v1/dpp/certification-key/did-web-config'

const read = operation({
  id: 'get_did_web_config_v1',
  method: 'GET',
  path,
  summary: 'Read the did:web configuration',
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
    'Certificates are signed under `did:web:<domain>` from now on; publish `didDocument` at ' +
    '`https://<domain>/.well-known/did.json` first, and keep it for what was signed, also under an earlier domain.',
  access: 'dpp:update',
  mcp: 'set_did_web_config',
  body: DidWebDomain,
  returns: { 200: DidWebConfig },
  problems: ['DPP_DID_WEB_DOMAIN_ALREADY_TAKEN'],
}).handledBy(async ({ body, caller, work }) => {
  const { organization } = caller
  const domain = body.domain === null ? null : bareHost(body.domain, !work.context.settings.production)
  await setDomain(work.trx, organization, domain)
  return readConfig(work.trx, work.context, organization)
})

const verify = operation({
  id: 'verify_did_web_config_v1',
  method: 'POST',
  path: `${path}/verify`,
  summary: 'Check the published DID document',
  tag,
  description: 'Fetches the DID document from the domain. Answers 200 whatever comes of it, kept as `lastCheck`.',
  access: 'dpp:update',
  mcp: 'verify_did_web_config',
  hints: { idempotentHint: true, openWorldHint: true },
  returns: { 200: DidWebCheck },
  problems: ['DPP_DID_WEB_DOMAIN_NOT_CONFIGURED'],
}).performedBy(async ({ caller, context, work, finish }) => {
  const { organization } = caller
  const domain = await domainOf(work.trx, organization)
  if (domain === null) throw problem('DPP_DID_WEB_DOMAIN_NOT_CONFIGURED', 'Set a domain for did:web first.')
  const keys = await keysOf(work.trx, organization)
  const needed = keys.filter(({ status }) => status === 'active' || status === 'rotated')
  const reason = await checkDomain(
    context.outbound,
    domain,
    needed.map((key) => key.public_key),
  )
  const checkedAt = context.clock.now().toISOString()
  const check: DidWebCheck = reason === null ? { status: 'ok', checkedAt } : { status: 'failed', reason, checkedAt }
  return finish(async ({ trx }) => {
    await keepCheck(trx, organization, domain, check)
    return check
  })
})

export const didWebOperations: Operation[] = [read, set, verify]
