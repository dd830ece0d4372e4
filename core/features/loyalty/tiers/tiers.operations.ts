import { createModelSource, listPage } from '../../../database/list/index.ts'
import { dryRunQuery, orDryRun } from '../../../kernel/dry-run.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { mapPageResult } from '../../../kernel/page.ts'
import { presentTier } from './tiers.present.ts'
import { NewRewardTier, RewardTier, RewardTierList, RewardTierPatch, tierList } from './tiers.schema.ts'
import { tierColumns, TierRow, tierEntity } from './tiers.store.ts'
import { createTier, deleteTier, previewTierDeletion, readTier, updateTier } from './tiers.ts'
import { applicationEntity } from '../../applications/index.ts'

const tag = 'Reward tiers'

const listOperation = declareOperation({
  id: 'list_loyalty_reward_tiers_v1',
  method: 'GET',
  path: '/v1/loyalty/reward-tiers',
  access: 'loyalty:read',
  scope: { list: 'application.id' },
  list: tierList,
  returns: { 200: RewardTierList },
  document: {
    tag,
    summary: 'List reward tiers',
    description: 'Of all applications, the newest first.',
    mcpName: 'list_loyalty_reward_tiers',
  },
}).withReadHandler(async ({ caller, page, work }) => {
  const tiers = createModelSource(TierRow.query(work.trx).modify('ofOrganization', caller.organization))
  return mapPageResult(await listPage(tiers, page, tierColumns), presentTier)
})

const createOperation = declareOperation({
  id: 'create_loyalty_reward_tier_v1',
  method: 'POST',
  path: '/v1/loyalty/reward-tiers',
  access: 'loyalty:create',
  scope: { body: { application: applicationEntity } },
  body: NewRewardTier,
  returns: { 201: RewardTier },
  problemCodes: ['NOT_FOUND', 'LOYALTY_REWARD_TIER_DUPLICATE_VISITS'],
  transport: { location: ({ id }: RewardTier) => `/v1/loyalty/reward-tiers/${id}` },
  document: {
    tag,
    summary: 'Create a reward tier',
    description: 'Accounts with enough visits get it.',
    mcpName: 'create_loyalty_reward_tier',
  },
}).withTransactionHandler(({ body, caller, work }) => createTier(work, caller, body))

const readOperation = declareOperation({
  id: 'get_loyalty_reward_tier_v1',
  method: 'GET',
  path: '/v1/loyalty/reward-tiers/:id',
  access: 'loyalty:read',
  scope: { params: { id: tierEntity } },
  returns: { 200: RewardTier },
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Read a reward tier',
    description: 'Its visits and ratio.',
    mcpName: 'get_loyalty_reward_tier',
  },
}).withReadHandler(async ({ caller, params, work }) => presentTier(await readTier(work, caller, params.id)))

const updateOperation = declareOperation({
  id: 'update_loyalty_reward_tier_v1',
  method: 'PATCH',
  path: '/v1/loyalty/reward-tiers/:id',
  access: 'loyalty:update',
  scope: { params: { id: tierEntity } },
  body: RewardTierPatch,
  returns: { 200: RewardTier },
  problemCodes: ['LOYALTY_REWARD_TIER_DUPLICATE_VISITS'],
  transport: { hasEtag: true },
  document: {
    tag,
    summary: 'Change a reward tier',
    description: 'Accounts follow within a short time.',
    mcpName: 'update_loyalty_reward_tier',
  },
}).withTransactionHandler(({ body, caller, params, precondition, work }) =>
  updateTier(work, caller, params.id, { patch: body, precondition }),
)

const deleteOperation = declareOperation({
  id: 'delete_loyalty_reward_tier_v1',
  method: 'DELETE',
  path: '/v1/loyalty/reward-tiers/:id',
  access: 'loyalty:delete',
  scope: { params: { id: tierEntity } },
  query: dryRunQuery,
  returns: { 200: orDryRun(RewardTier) },
  problemCodes: ['LOYALTY_REWARD_TIER_IN_USE'],
  transport: { hasEtag: true },
  execution: { hasDryRun: true },
  document: {
    tag,
    summary: 'Delete a reward tier',
    description: 'Refused while an account has it fixed.',
    mcpName: 'delete_loyalty_reward_tier',
    needsConfirmation: true,
  },
}).withTransactionHandler(({ caller, params, precondition, query, work }) =>
  query.dryRun
    ? previewTierDeletion(work, caller, params.id, precondition)
    : deleteTier(work, caller, params.id, precondition),
)

export const tierOperations: Operation[] = [
  listOperation,
  createOperation,
  readOperation,
  updateOperation,
  deleteOperation,
]
