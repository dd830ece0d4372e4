import { networkNames, networks } from './chains/networks.ts'
import { removeOldRows, type Retention } from './queue/retention.ts'
import type { UpkeepTask } from './queue/upkeep.ts'

/** How many days something is kept, by setting. */
export interface RetentionSettings {
  jobRetentionDays: number
  importErrorRetentionDays: number
  attemptRetentionDays: number
  messageRetentionDays: number
  eventRetentionDays: number
}

/** Where a row goes along with another one, what removes it beside this, or why it is never removed. */
type Reason = string

const ended = (job: string) => `${job}.status <> 'pending' and ${job}.updated_at < :before`
const partsOfJobs = ['import_errors', 'import_keys', 'passport_units', 'structure_units']
// With limits of their own: looked up for each row, where the planner would rather read all of a large table.
const withoutParts = partsOfJobs.map((part) => `(select part.job from ${part} part where part.job = r.id limit 1) is null`).join(' and ')

/** Networks of one machine, whose chain may begin again: then everything is sent again from what was signed. */
const own = networkNames.filter((name) => networks[name].explorer === null).map((name) => `'${name}'`).join(', ')

/**
 * What becomes of the rows of every table. What is removed goes in this order, in small steps along an index: parts of
 * jobs before their jobs, which would take them along in one long statement.
 */
export const retentions = (days: RetentionSettings): Readonly<Record<string, Retention | Reason>> => ({
  // At the end that a row has itself.
  idempotency: { days: 0, rows: 'r.expires_at < :before' },
  sessions: { days: 0, rows: 'r.expires_at < :before' },
  verifications: { days: 0, rows: 'r.expires_at < :before' },
  sign_in_codes: { days: 0, rows: 'r.expires_at < :before' },
  // One that is gone is answered like one that has expired.
  magic_tokens: { days: 0, rows: 'r.expires_at < :before' },
  // Counted for an hour; sends of later remove them too.
  code_sends: { days: 1, rows: 'r.at < :before' },

  // By setting.
  messages: { days: days.messageRetentionDays, rows: `r.created_at < :before and r.status <> 'queued'` },
  import_errors: { days: Math.min(days.importErrorRetentionDays, days.jobRetentionDays), ofJobs: ended('j') },
  // Left by jobs that failed, and needed when an operator has one tried again.
  import_keys: { days: days.jobRetentionDays, ofJobs: ended('j') },
  passport_units: { days: days.jobRetentionDays, ofJobs: ended('j') },
  structure_units: { days: days.jobRetentionDays, ofJobs: ended('j') },
  claims: { days: days.jobRetentionDays, rows: `r.status = 'failed' and r.updated_at < :before` },
  jobs: { days: days.jobRetentionDays, rows: `${ended('r')} and ${withoutParts}` },
  // The signer reads those of deployments, and of transactions whose nonce something else used up. Looked up as above.
  chain_attempts: {
    days: days.attemptRetentionDays,
    rows: `r.created_at < :before and (select t.status in ('final', 'reverted') and t.kind <> 'deploy' and t.network not in (${own})
      from chain_transactions t where t.id = r.transaction limit 1)`,
  },
  // Of times that have no month of their own.
  events_rest: { days: days.eventRetentionDays, rows: 'r.created_at < :before' },

  events: 'A month goes as a whole once EVENT_RETENTION_DAYS have passed since its end: keepEventMonths.',
  imports: 'Go with their jobs.',
  import_uploads: 'Go when their import ends, or after an hour without one: sweepUploads.',
  import_pieces: 'Go with their upload.',
  passport_scans: 'Go after seconds: forgetScans.',
  domain_checks: 'Go after an hour: forgetChecks.',
  passport_counts: 'Rolled up to one row for each value that lists are filtered by.',

  users: persons, credentials: persons, accounts: persons, members: persons,
  invitations: 'No operation writes one.',
  organizations: theirs, applications: theirs, api_keys: theirs, sheets: theirs, import_mappers: theirs, passports: theirs,
  certification_settings: theirs, domain_secrets: theirs, application_domains: theirs, did_web_domains: theirs,
  sheet_versions: 'What passports were judged by: for as long as there are passports of theirs.',

  passport_transfers: ledger, chain_operations: ledger, chain_transactions: ledger, chain_contracts: ledger, chain_senders: ledger,
  passport_credentials: evidence, credential_contexts: evidence, status_lists: evidence, status_changes: evidence, anchors: evidence,
  certification_keys: evidence, certification_key_registrations: evidence, certification_key_receipts: evidence,
  gtin_owners: evidence, gtin_contests: evidence, audit_entries: evidence,
  'signer.keys': signer, 'signer.signatures': signer, 'signer.deployments': signer, 'signer.tokens': signer,
  knex_migrations: 'How the database was made.',
})

const persons = 'Until the person is erased.'
const theirs = 'Until its organization removes it.'
const ledger = 'What stands on a network and who owns it; an operation is done once because its row stays.'
const evidence = 'Proves what was certified, by whom and until when, or who decided it.'
const signer = 'The signer signs nothing twice, and only for contracts it knows, because it remembers.'

/** Those of them that are removed by age, in their order. */
export const removals = (days: RetentionSettings): [table: string, Retention][] =>
  Object.entries(retentions(days)).filter((entry): entry is [string, Retention] => typeof entry[1] !== 'string')

/** A task for each table, so that one whose rows are held up keeps no other waiting. */
export const retentionTasks = (days: RetentionSettings): UpkeepTask[] => removals(days).map(([table, retention]) =>
  ({ name: `old rows of ${table}`, run: ({ db }) => removeOldRows(db, table, retention) }))
