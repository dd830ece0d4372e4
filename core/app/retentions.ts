import { networkNames, networks } from '../chains/networks.ts'
import {
  createEndedCondition,
  removeOldRows,
  retentionReasons,
  type Retention,
  type RetentionDays,
  type TableRetention,
} from '../queue/upkeep/retention.ts'
import type { UpkeepTask } from '../queue/upkeep/upkeep.ts'
import { registry } from './registry.ts'

/** Networks on this machine, whose chain may start again; then all signed transactions are sent again. */
const localNetworks = networkNames
  .filter((name) => networks[name].explorer === null)
  .map((name) => `'${name}'`)
  .join(', ')

const signerReason = 'The signer signs nothing twice, and only for contracts it knows, because it remembers.'

/**
 * Creates the retention of the tables that belong to no area.
 * @param jobParts the tables with parts of jobs: a job is deleted once none of them has a row of it, because deleting
 * the job first would delete all its parts in one long statement
 */
const createPlatformRetentions = (
  days: RetentionDays,
  jobParts: readonly string[],
): Readonly<Record<string, TableRetention>> => ({
  // These rows have their own time of expiry.
  idempotency: { days: 0, rows: 'r.expires_at < :before' },
  messages: { days: days.messageRetentionDays, rows: `r.created_at < :before and r.status <> 'queued'` },
  job_items: { days: days.jobRetentionDays, ofJobs: createEndedCondition('j') },
  jobs: {
    days: days.jobRetentionDays,
    rows: [createEndedCondition('r'), ...jobParts.map(createWithoutPartsCondition)].join(' and '),
  },
  // The signer reads the attempts of deployments, and of transactions whose nonce was used by something else. The
  // subquery has `limit 1` for the same reason as that of a job's parts.
  chain_attempts: {
    days: days.attemptRetentionDays,
    rows: `r.created_at < :before and (select t.status in ('final', 'reverted') and t.kind <> 'deploy' and t.network not in (${localNetworks})
      from chain_transactions t where t.id = r.transaction limit 1)`,
  },
  chain_operations: retentionReasons.ledger,
  chain_transactions: retentionReasons.ledger,
  chain_contracts: retentionReasons.ledger,
  chain_senders: retentionReasons.ledger,
  ledger_books: retentionReasons.ledger,
  ledger_entries: retentionReasons.ledger,
  ledger_postings: retentionReasons.ledger,
  ledger_lots: retentionReasons.ledger,
  ledger_draws: retentionReasons.ledger,
  ledger_holds: retentionReasons.ledger,
  ledger_balances: retentionReasons.ledger,
  ledger_settlements: retentionReasons.ledger,
  organization_plans: retentionReasons.organization,
  meter_periods: retentionReasons.evidence,
  meter_blocks: 'Go within seconds of the end of their lease: startMeterSweeps.',
  meter_uses: 'Go with their block.',
  meter_removals: retentionReasons.evidence,
  'signer.keys': signerReason,
  'signer.signatures': signerReason,
  'signer.deployments': signerReason,
  'signer.tokens': signerReason,
  knex_migrations: 'How the database was made.',
})

/** A subquery with `limit 1` per row; otherwise the planner might read all of a large table. */
const createWithoutPartsCondition = (part: string) =>
  `(select part.job from ${part} part where part.job = r.id limit 1) is null`

/** Creates the retention of every table. Rows are deleted in this order, in small steps along an index. */
export function createRetentions(days: RetentionDays): Readonly<Record<string, TableRetention>> {
  const ofAreas = registry.listRetentions(days)
  const jobParts = ofAreas.flatMap(([table, retention]) =>
    typeof retention !== 'string' && 'ofJobs' in retention ? [table] : [],
  )
  return { ...Object.fromEntries(ofAreas), ...createPlatformRetentions(days, ['job_items', ...jobParts]) }
}

/** Lists the tables whose rows are deleted by age, in their order. */
export const listRemovals = (days: RetentionDays): [table: string, Retention][] =>
  Object.entries(createRetentions(days)).filter((entry): entry is [string, Retention] => typeof entry[1] !== 'string')

/** Creates one task per table, so that a table whose deletion is blocked does not delay the others. */
export const createRetentionTasks = (days: RetentionDays): UpkeepTask[] =>
  listRemovals(days).map(([table, retention]) => ({
    name: `old rows of ${table}`,
    run: ({ db }) => removeOldRows(db, table, retention),
  }))
