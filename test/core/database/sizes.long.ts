import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { keepFigures } from '../../figures/keep-figures.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'
import { PassportLoad } from './sizes.load.ts'
import { readSizes, type Sizes } from './sizes.read.ts'

const count = Number(process.env['TEST_PASSPORTS'] ?? 100_000)
const whole = count >= 100_000
const kept = new URL('../../figures/speed/sizes.json', import.meta.url)

/** Bytes of a row: of the table, of what lies beside it, and of its indexes. */
interface Bytes {
  rows: number
  heap: number
  toast: number
  indexes: number
  all: number
}
interface Measured {
  passport: Bytes
  event: Bytes
}
interface Figures {
  before: Measured & { commit: string }
}

/** What needs an index that holds nothing together by being unique, and that such a load need not use. */
const reasons: Readonly<Record<string, string>> = {
  accounts_organization: 'an organization that goes takes its accounts along',
  accounts_user_id: 'a person who goes is looked for',
  audit_entries_at: 'operators read what was decided of late',
  audit_entries_subject: 'operators read what was decided about something',
  audit_segments_month: 'retention',
  audit_trail_list: 'members read what was done of late',
  certification_key_receipts_key: 'receipts are shown by key',
  chain_attempts_created_at: 'retention',
  claims_failed: 'retention',
  jobs_ended: 'retention, and the figures of failed jobs',
  idempotency_expires_at: 'retention',
  magic_tokens_expires_at: 'retention',
  sessions_expires_at: 'retention',
  verifications_expires_at: 'retention',
  chain_contracts_transaction: 'a transaction that is settled or lost is asked for its contract',
  chain_operations_failed: 'the figures of operations that failed',
  credentials_user_id: 'a person who goes takes them along',
  gtin_contests_organization: 'the share of an organization',
  gtin_contests_waiting: 'the list of the operator',
  idempotency_bodies: 'the share of a caller in kept answers',
  imports_going_on: 'whether a mapper is running',
  imports_parent: 'slices of an import',
  import_mappers_due: 'schedules',
  invitations_email: 'the sign-in library',
  invitations_organization_id: 'an organization that goes takes them along',
  verifications_identifier: 'the sign-in library',
  magic_tokens_spent_by: 'the token of a claim that fails, or goes',
  messages_created_at: 'the outbox, and retention',
  messages_due: 'the courier',
  passports_sheet_minted: 'whether a sheet has a token, before its network changes',
  sessions_active_organization_id: 'an organization that goes ends sessions',
  sessions_application: 'an application that goes ends sessions',
  members_organization_id: 'members of an organization',
  api_keys_organization: 'keys of an organization',
  domain_checks_age: 'retention',
  passport_scans_at: 'retention',
  sign_in_codes_expires_at: 'retention',
  code_sends_at: 'retention',
  event_tallies_created: 'folds, and retention',
  ledger_postings_recorded: 'folds of metrics',
  metric_organizations_again: 'days of metrics that are counted again',
}

/** A load by the API alone, of every filter and order, and what is left of it. TEST_PASSPORTS chooses how many. */
describe(`Database size of ${count.toLocaleString('en')} passports and their events`, function () {
  this.timeout(1_800_000)
  let platform: OwnPlatform
  let sizes: Sizes

  before(async () => {
    platform = await startPlatform({ env: { LOG_LEVEL: 'warn' } })
    const load = new PassportLoad(platform, count)
    await load.passports()
    await load.life()
    await load.lists()
    sizes = await readSizes(platform.database)
  })
  after(() => platform?.stop())

  it('uses every index, or has a reason for it', () => {
    const idle = sizes.indexes.filter(({ index, scans, unique }) => scans === 0 && !unique && !(index in reasons))
    expect(idle.map(({ index }) => index)).to.deep.equal([])
  })

  it(`weighs less than before${whole ? '' : ', when it is whole'}`, () => {
    const { before } = JSON.parse(readFileSync(kept, 'utf8')) as Figures
    const measured: Measured = { passport: bytesOf('passports'), event: bytesOf('events') }
    const largest = sizes.indexes
      .filter(({ table, rows }) => ['passports', 'events'].includes(table) && rows > 0)
      .sort((a, b) => b.bytes - a.bytes)
      .map(({ index, rows, bytes, scans }) => ({ index, rows, bytesOfRow: Math.round(bytes / rows), scans }))
    for (const [what, { all, heap, toast, indexes }] of Object.entries(measured)) {
      process.stdout.write(
        `      ${what}: ${all} bytes, of them ${heap} in the table, ${toast} beside it, ${indexes} in indexes\n`,
      )
    }
    for (const { index, rows, bytesOfRow, scans } of largest)
      process.stdout.write(`      ${index}: ${bytesOfRow} bytes for each of ${rows} rows, used ${scans} times\n`)
    if (!whole) return
    expect(measured.passport.all).to.be.below(before.passport.all * 0.9)
    expect(measured.event.all).to.be.below(before.event.all * 0.9)
    keepFigures('speed/sizes', {
      command: 'npm run test:long -- test/core/database/sizes.long.ts',
      before,
      ...measured,
      indexes: largest,
    })
  })

  function bytesOf(name: string): Bytes {
    const found = sizes.tables.find(({ table }) => table === name)
    if (!found) throw new Error(`There is no table ${name}`)
    const { rows, heap, toast, indexes } = found
    const each = (bytes: number) => Math.round(bytes / rows)
    return { rows, heap: each(heap), toast: each(toast), indexes: each(indexes), all: each(heap + toast + indexes) }
  }
})
