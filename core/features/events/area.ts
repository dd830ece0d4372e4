import { area } from '../area.ts'
import { maintainEventMonths, rollUpScanCounts } from './events.months.ts'
import { eventOperations } from './events.operations.ts'

/** What happened, in the words of every area. */
export const events = area({
  name: 'events',
  operations: eventOperations,
  tags: {
    Events: 'What happened to passports, the newest first.',
  },
  cleaning: [
    { name: 'months of events', run: (context) => maintainEventMonths(context) },
    { name: 'counts of scans', run: ({ db }) => rollUpScanCounts(db) },
  ],
  retentions: ({ eventRetentionDays }) => ({
    // Events of times that have no monthly partition.
    events_rest: { days: eventRetentionDays, rows: 'r.created_at < :before' },
    event_tallies: { days: eventRetentionDays, rows: 'r.created_at < :before' },
    // Those of a month with a partition go with it.
    scan_counts: { days: eventRetentionDays, rows: "r.month + interval '1 month' < :before" },
    events: 'A month goes as a whole once EVENT_RETENTION_DAYS have passed since its end: maintainEventMonths.',
  }),
})
