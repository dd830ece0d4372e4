import type { RetentionDays } from '../queue/upkeep/retention.ts'
import type { UpkeepTask } from '../queue/upkeep/upkeep.ts'
import { eraseDeletedOrganizations } from './areas/erasure.ts'
import { registry } from './registry.ts'
import { createRetentionTasks } from './retentions.ts'

/** Creates the upkeep tasks that the worker runs every hour and that an operator's command runs at once. */
export const createCleaningTasks = (days: RetentionDays): readonly UpkeepTask[] => [
  ...createRetentionTasks(days),
  ...registry.cleaning,
  {
    name: 'personal data of deleted organizations',
    run: (context) => eraseDeletedOrganizations(context, registry.organizationErasures),
  },
]
