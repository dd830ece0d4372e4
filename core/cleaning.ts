import { forgetChecks } from './features/applications/index.ts'
import { forgetScans, rollUpPassportCounts } from './features/dpp/index.ts'
import { keepEventMonths } from './features/events/index.ts'
import { sweepUploads } from './features/imports/index.ts'
import type { UpkeepTask } from './queue/upkeep.ts'
import { retentionTasks, type RetentionSettings } from './retentions.ts'

/** What the worker removes and puts together every hour, and an operator's command at once. */
export const cleaningTasks = (settings: RetentionSettings): readonly UpkeepTask[] => [
  ...retentionTasks(settings),
  { name: 'months of events', run: (context) => keepEventMonths(context) },
  { name: 'counts of passports', run: ({ db }) => rollUpPassportCounts(db) },
  { name: 'files of imports', run: sweepUploads },
  { name: 'scans', run: ({ db }) => forgetScans(db) },
  { name: 'checks of domains', run: forgetChecks },
]
