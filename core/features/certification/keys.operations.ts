import { operation, type Operation } from '../../kernel/operation.ts'
import type { Work } from '../../kernel/work.ts'
import { ensureCertificationKey } from './keys.ts'
import { presentKey, presentKeys } from './keys.present.ts'
import { revokeKey, rotateKey } from './keys.rotate.ts'
import { keysOf, type KeyRow } from './keys.rows.ts'
import { CertificationKey, CertificationKeys, KeyRevocation, KeyRotation } from './keys.schema.ts'

const tag = 'Certification keys'

/** The organization's keys; the first is made where it is older than keys are. */
async function allKeys({ context, trx }: Work, organization: string): Promise<KeyRow[]> {
  await ensureCertificationKey(context, organization)
  return keysOf(trx, organization)
}

const getActive = operation({
  id: 'get_dpp_certification_key_v1',
  method: 'GET',
  path: '/v1/dpp/certification-key',
  summary: 'Read the active certification key',
  description: 'The key that signs now, with its DID and the networks it is registered on. The private part never leaves.',
  tag,
  access: 'dpp:read',
  mcp: 'get_dpp_certification_key',
  returns: { 200: CertificationKey },
}).readBy(async ({ caller, work }) => {
  const active = (await allKeys(work, caller.organization)).find(({ status }) => status === 'active')
  if (!active) throw new Error('an organization has no active key')
  return presentKey(work.trx, active)
})

const listAll = operation({
  id: 'list_dpp_certification_keys_v1',
  method: 'GET',
  path: '/v1/dpp/certification-keys',
  summary: 'List certification keys',
  tag,
  description: 'All of them, the newest first, also rotated and revoked ones.',
  access: 'dpp:read',
  mcp: 'list_dpp_certification_keys',
  returns: { 200: CertificationKeys },
}).readBy(async ({ caller, work }) =>
  presentKeys(work.trx, caller.organization, await allKeys(work, caller.organization)),
)

const rotate = operation({
  id: 'rotate_certification_key_v1',
  method: 'POST',
  path: '/v1/dpp/certification-key/rotate',
  summary: 'Rotate the certification key',
  tag,
  description:
    'Makes a new key, active when the first network has registered it, at once where none is in use. Until then the ' +
    'old one signs; it still verifies after.',
  access: 'dpp:update',
  mcp: 'rotate_certification_key',
  confirm: true,
  hints: { openWorldHint: true },
  returns: { 200: KeyRotation },
  problems: ['DPP_KEY_ROTATION_PENDING'],
}).handledBy(async ({ caller, work }) => {
  const { key, queuedJobs } = await rotateKey(work.trx, work.context, caller.organization)
  return { key: await presentKey(work.trx, key), queuedJobs }
})

const revoke = operation({
  id: 'revoke_certification_key_v1',
  method: 'POST',
  path: '/v1/dpp/certification-keys/:id/revoke',
  summary: 'Revoke a certification key',
  tag,
  description:
    'For good: its certificates fail. Another key replaces the active one at once; under did:web it signs once ' +
    'published. Revoking a pending key ends its rotation.',
  access: 'dpp:update',
  mcp: 'revoke_certification_key',
  confirm: true,
  hints: { destructiveHint: true, openWorldHint: true },
  body: KeyRevocation,
  returns: { 200: CertificationKey },
  problems: ['DPP_CERTIFICATION_KEY_NOT_FOUND'],
}).handledBy(async ({ body, caller, params, work }) => {
  const { key } = await revokeKey(work.trx, work.context, caller.organization, params.id, body)
  return presentKey(work.trx, key)
})

export const keyOperations: Operation[] = [getActive, listAll, rotate, revoke]
