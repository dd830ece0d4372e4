import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { readDppMetrics, readLoyaltyMetrics } from './metrics.ts'
import { DppMetrics, LoyaltyMetrics, metricsQuery } from './metrics.schema.ts'

const tag = 'Metrics'

const getDppMetrics = declareOperation({
  id: 'get_dpp_metrics_v1',
  method: 'GET',
  path: '/v1/admin/metrics/dpp',
  access: 'dpp:read',
  scope: { query: 'application' },
  query: metricsQuery,
  returns: { 200: DppMetrics },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'Read the metrics of passports',
    description: 'By day, week or month in the time zone of the organization. What happened shows after a few seconds.',
    mcpName: 'get_dpp_metrics',
  },
}).withReadHandler(({ caller, query, work }) => readDppMetrics(work, caller.organization, query))

const getLoyaltyMetrics = declareOperation({
  id: 'get_loyalty_metrics_v1',
  method: 'GET',
  path: '/v1/admin/metrics/loyalty',
  access: 'loyalty:read',
  scope: { query: 'application' },
  query: metricsQuery,
  returns: { 200: LoyaltyMetrics },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'Read the metrics of loyalty',
    description:
      'By day, week or month in the time zone of the organization. What happened shows after a few seconds, '
      + 'what came of a campaign within an hour, on the day on which it was sent.',
    mcpName: 'get_loyalty_metrics',
  },
}).withReadHandler(({ caller, query, work }) => readLoyaltyMetrics(work, caller.organization, query))

export const metricOperations: Operation[] = [getDppMetrics, getLoyaltyMetrics]
