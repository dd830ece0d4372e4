import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { object, optional, string } from '../../../kernel/schema.ts'
import { contestGtin } from './contests.ts'

const GtinContest = object(
  {
    reason: optional(string('Why it is yours.', { minLength: 1, maxLength: 1_000, pattern: '\\S' })),
  },
  {
    title: 'GtinContest',
    description: 'That a GTIN which another organization published first is yours.',
    default: {},
  },
)

const contest = declareOperation({
  id: 'contest_gtin_v1',
  method: 'POST',
  path: '/v1/dpp/gtins/:gtin/contest',
  access: 'dpp:update',
  params: { gtin: string('The GTIN.', { pattern: '^(\\d{8}|\\d{12,14})$', examples: ['09520123456788'] }) },
  body: GtinContest,
  returns: { 204: null },
  document: {
    tag: 'Passports',
    summary: 'Contest whose a GTIN is',
    description: 'Tells the operator, who decides.',
    mcpName: 'contest_gtin',
    mcpHints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
}).withTransactionHandler(({ body, caller, params, work }) =>
  contestGtin(work, caller, params.gtin, body.reason ?? null),
)

export const gtinOperations: Operation[] = [contest]
