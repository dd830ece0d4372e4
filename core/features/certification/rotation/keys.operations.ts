import { dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { SharedContributions } from '../../area.ts'
import { CertificationKey, CertificationKeys, KeyRevocation, KeyRotation } from '../keys/index.ts'
import { listShownKeys, presentKey } from './keys.present.ts'
import { revokeOwnKey, rotateOwnKey } from './keys.rotate.ts'
import { previewRevocation, previewRotation } from './preview/keys.preview.ts'

const tag = 'Certification keys'

const getActiveKeyOperation = declareOperation({
  id: 'get_dpp_certification_key_v1',
  method: 'GET',
  path: '/v1/dpp/certification-key',
  access: 'dpp:read',
  returns: { 200: CertificationKey },
  document: {
    tag,
    summary: 'Read the active certification key',
    description:
      'The key that signs now, with its DID and the networks it is registered on. The private part never leaves.',
    mcpName: 'get_dpp_certification_key',
  },
}).withReadHandler(async ({ caller, work }) => {
  const active = (await listShownKeys(work, caller.organization)).find(({ status }) => status === 'active')
  if (!active) throw new Error('an organization has no active key')
  return active
})

const listKeysOperation = declareOperation({
  id: 'list_dpp_certification_keys_v1',
  method: 'GET',
  path: '/v1/dpp/certification-keys',
  access: 'dpp:read',
  returns: { 200: CertificationKeys },
  document: {
    tag,
    summary: 'List certification keys',
    description: 'All of them, the newest first, also rotated and revoked ones.',
    mcpName: 'list_dpp_certification_keys',
  },
}).withReadHandler(({ caller, work }) => listShownKeys(work, caller.organization))

const rotateKeyOperation = declareOperation({
  id: 'rotate_certification_key_v1',
  method: 'POST',
  path: '/v1/dpp/certification-key/rotate',
  access: 'dpp:update',
  query: dryRunQuery,
  returns: { 200: orDryRun(KeyRotation) },
  problemCodes: ['DPP_KEY_ROTATION_PENDING'],
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Rotate the certification key',
    description:
      'The new key signs once a network has registered it, at once where none is used. The old one still verifies.',
    mcpName: 'rotate_certification_key',
    mcpHints: { openWorldHint: true },
    needsConfirmation: true,
    preview: 'always',
  },
}).withTransactionHandler(async ({ caller, query, work }) => {
  if (query.dryRun) return previewRotation(work, caller.organization)
  const { key, queuedJobs } = await rotateOwnKey(work, caller.organization)
  return { key: await presentKey(work.trx, key), queuedJobs }
})

const createRevokeOperation = ({ keyUses }: SharedContributions) =>
  declareOperation({
    id: 'revoke_certification_key_v1',
    method: 'POST',
    path: '/v1/dpp/certification-keys/:id/revoke',
    access: 'dpp:update',
    query: dryRunQuery,
    body: KeyRevocation,
    returns: { 200: orDryRun(CertificationKey) },
    problemCodes: ['DPP_CERTIFICATION_KEY_NOT_FOUND'],
    execution: { hasDryRun: true },
    document: {
      tag,
      summary: 'Revoke a certification key',
      description:
        'Its certificates fail. Another key replaces an active one (under did:web once published); revoking a pending '
        + 'one ends its rotation.',
      mcpName: 'revoke_certification_key',
      mcpHints: { destructiveHint: true, openWorldHint: true },
      needsConfirmation: true,
      preview: 'always',
    },
  }).withTransactionHandler(async ({ body, caller, params, query, work }) => {
    if (query.dryRun) return previewRevocation(work, caller.organization, params.id, body, keyUses)
    const { key } = await revokeOwnKey(work, caller.organization, params.id, body)
    return presentKey(work.trx, key)
  })

/** Creates the operations of keys. */
export const createKeyOperations = (shared: SharedContributions): Operation[] => [
  getActiveKeyOperation,
  listKeysOperation,
  rotateKeyOperation,
  createRevokeOperation(shared),
]
