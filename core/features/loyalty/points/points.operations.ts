import { answerJson } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { changePointsTogether } from './points.together.ts'
import { accountParams, NewBurn, NewMint, PointsAccepted } from './points.schema.ts'
import { accountEntity } from '../../accounts/index.ts'

const tag = 'Points'

const accept = (accepted: PointsAccepted) => answerJson(accepted, undefined, 202)

const execution = { sharesTransaction: true } as const

const mintPoints = declareOperation({
  id: 'mint_loyalty_points_v1',
  method: 'POST',
  path: '/v1/loyalty/account/:id/mint',
  access: 'loyalty:update',
  scope: { params: { id: accountEntity }, missingCode: 'LOYALTY_ACCOUNT_NOT_FOUND' },
  params: accountParams,
  body: NewMint,
  returns: { 202: PointsAccepted },
  problemCodes: ['LOYALTY_ACCOUNT_NOT_FOUND', 'LOYALTY_REFERENCE_REUSED', 'QUOTA_EXCEEDED'],
  execution,
  document: {
    tag,
    summary: 'Credit points',
    description: 'The balance rises at once; the chain follows as a job.',
    mcpName: 'mint_loyalty_points',
    mcpHints: { openWorldHint: true },
  },
}).withTransactionHandler(async ({ body, caller, params, work }) =>
  accept(
    await changePointsTogether(work, {
      organization: caller.organization,
      account: params.id,
      kind: 'mint',
      change: body,
    }),
  ),
)

const burnPoints = declareOperation({
  id: 'burn_loyalty_points_v1',
  method: 'POST',
  path: '/v1/loyalty/account/:id/burn',
  access: 'loyalty:update',
  scope: { params: { id: accountEntity }, missingCode: 'LOYALTY_ACCOUNT_NOT_FOUND' },
  params: accountParams,
  body: NewBurn,
  returns: { 202: PointsAccepted },
  problemCodes: [
    'LOYALTY_ACCOUNT_NOT_FOUND',
    'LOYALTY_INSUFFICIENT_BALANCE',
    'LOYALTY_REFERENCE_REUSED',
    'QUOTA_EXCEEDED',
  ],
  execution,
  document: {
    tag,
    summary: 'Take points',
    description: 'The balance falls at once, never below zero; the chain follows as a job.',
    mcpName: 'burn_loyalty_points',
    mcpHints: { destructiveHint: true, openWorldHint: true },
  },
}).withTransactionHandler(async ({ body, caller, params, work }) =>
  accept(
    await changePointsTogether(work, {
      organization: caller.organization,
      account: params.id,
      kind: 'burn',
      change: body,
    }),
  ),
)

export const changeOperations: Operation[] = [mintPoints, burnPoints]
