import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { listPlans } from './plans.ts'
import { Plans } from './plans.schema.ts'
import { readQuotaUsage } from './quotas.ts'
import { QuotaUsage } from './quotas.schema.ts'

const readUsageOperation = declareOperation({
  id: 'get_quota_usage_v1',
  method: 'GET',
  path: '/v1/quotas/usage',
  access: 'billing:read',
  returns: { 200: QuotaUsage },
  document: {
    tag: 'Quotas',
    summary: 'Read what was used this month',
    description: 'Every meter, with what the plan allows of it. Months are calendar months in UTC.',
    mcpName: 'get_quota_usage',
  },
}).withReadHandler(({ caller, work }) => readQuotaUsage(work, caller))

const listPlansOperation = declareOperation({
  id: 'list_billing_plans_v1',
  method: 'GET',
  path: '/v1/billing/plans',
  access: 'public',
  returns: { 200: Plans },
  document: {
    tag: 'Billing',
    summary: 'List plans',
    description: 'What each plan costs, and what it allows of each meter in a month.',
    mcpName: 'list_billing_plans',
  },
}).withReadHandler(async ({ work }) => listPlans(work.context))

export const quotaOperations: Operation[] = [readUsageOperation, listPlansOperation]
