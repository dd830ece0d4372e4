import { area } from '../area.ts'
import { startMetricFolds } from './folds.ts'
import { metricOperations } from './metrics.operations.ts'

/** What happened to passports and what accounts did, summed up by days. */
export const metrics = area({
  name: 'metrics',
  operations: metricOperations,
  tags: {
    Metrics: 'What happened to passports and what accounts did, by day, week and month.',
  },
  services: [startMetricFolds],
  retentions: () => ({
    metric_days: 'Sums of days, which outlive the events that they follow from.',
    metric_organizations: 'One row an organization.',
    metric_folds: 'One row.',
  }),
})
