import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { openSignerStore } from '../../../../core/chains/signer/store.ts'
import { migrateSchema } from '../../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { maintainEventMonths } from '../../../../core/features/events/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { insertJobItems } from '../../../../core/queue/batches/items.ts'
import { readJobs } from '../../../../core/queue/engine/rows.ts'
import { removeOldRows } from '../../../../core/queue/upkeep/retention.ts'
import { listRemovals, createRetentions } from '../../../../core/app/retentions.ts'
import { startDatabaseServer, type DatabaseServer } from '../../../support/database/database-server.ts'
import { listTables, measureTables, vacuumTables, type TableSize } from '../../../support/database/table-sizes.ts'
import { insertApplication } from '../../../support/rows/applications/new-applications.ts'
import { countAttempts, insertOldTransactions } from '../../../support/rows/chains/old-transactions.ts'
import { countClaims, insertEndedClaims, insertMagicTokens } from '../../../support/rows/dpp/ended-claims.ts'
import { insertRemovedDemos } from '../../../support/rows/demo/old-runs.ts'
import { insertOldPassports } from '../../../support/rows/dpp/old-passports.ts'
import { insertOldEvents, insertOldTallies, listEventMonths } from '../../../support/rows/events/old-events.ts'
import { insertKeptAnswers } from '../../../support/rows/http/kept-answers.ts'
import { insertInvitations } from '../../../support/rows/identity/invitations.ts'
import { insertOrganization } from '../../../support/rows/identity/new-organizations.ts'
import { insertUser } from '../../../support/rows/identity/new-users.ts'
import {
  insertCodeSends,
  insertSessions,
  insertSignInCodes,
  insertVerifications,
} from '../../../support/rows/identity/sign-ins.ts'
import {
  deleteImportErrors,
  insertEndedImports,
  insertImportErrors,
} from '../../../support/rows/imports/ended-imports.ts'
import { insertPortalLinks } from '../../../support/rows/billing/portal-links.ts'
import { insertLoggedRequests } from '../../../support/rows/requests/request-log.ts'
import { insertJobs } from '../../../support/rows/queue/job-rows.ts'
import { deleteMessages, holdMessage, insertMessages, listMessages } from '../../../support/rows/queue/messages.ts'

/** Short enough that after five months every table has as much as it will ever have. */
const settings = {
  jobRetentionDays: 90,
  importErrorRetentionDays: 30,
  attemptRetentionDays: 100,
  messageRetentionDays: 1,
  eventRetentionDays: 60,
}
const removed = listRemovals(settings)
const organization = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'
const network = 'BaseSepolia'
const perDay = 20
const months = 13
const monthDays = 30
const first = Date.UTC(2030, 0, 1)
const dayAt = (day: number) => new Date(first + day * 86_400_000)

describe('Retention of rows', function () {
  this.timeout(300_000)
  let server: DatabaseServer
  let db: Knex
  let application: string
  let user: string

  before(async () => {
    server = await startDatabaseServer()
    const { url, signerUrl } = await server.createDatabase()
    await migrateSchema(url)
    await (await openSignerStore(signerUrl)).close()
    db = connectDatabase({ url, name: 'tests', maxConnections: 3 })
    await insertOrganization(db, { id: organization })
    application = await insertApplication(db, { organization, network })
    user = v7()
    await insertUser(db, { id: user, email: 'a@b.example' })
  })
  after(async () => {
    await db?.destroy()
    await server?.stop()
  })

  const keepTo = async (at: Date) => {
    await maintainEventMonths({ db, settings } as unknown as Context, at)
    for (const [table, retention] of removed) await removeOldRows(db, table, retention, at)
  }

  it('says of every table what becomes of its rows', async () => {
    expect(Object.keys(createRetentions(settings)).sort()).to.deep.equal((await listTables(db)).sort())
  })

  /** What an installation leaves in a day. */
  async function work(day: number): Promise<void> {
    const at = dayAt(day)
    const each = <T>(make: (number: number) => T) => Array.from({ length: perDay }, (_, number) => make(number))
    const own = { organization, application }
    const jobs = await insertJobs(
      db,
      each((number) => ({ type: 'import', organization, status: number === 0 ? 'failed' : 'completed', at })),
    )
    await insertEndedImports(db, { ...own, jobs, finishedAt: at })
    await insertImportErrors(db, { jobs, lines: [1] })
    await Promise.all(jobs.map((job) => insertJobItems(db, { job, step: 'publish' }, [{ line: 1, subject: v7() }])))
    await insertMessages(
      db,
      each(() => ({ createdAt: at })),
    )
    await insertKeptAnswers(
      db,
      each((number) => ({ key: `${day} ${number}`, expiresAt: dayAt(day + 30) })),
    )
    await insertSessions(db, { user, count: perDay, expiresAt: dayAt(day + 7) })
    await insertVerifications(db, { count: perDay, expiresAt: dayAt(day + 1) })
    await insertSignInCodes(db, { count: perDay, expiresAt: at })
    await insertCodeSends(db, { count: perDay, at })
    await insertInvitations(db, { organization, inviter: user, count: perDay, expiresAt: dayAt(day + 7) })
    const passports = await insertOldPassports(db, { ...own, network, createdAt: at, count: perDay })
    await insertMagicTokens(db, { passports, issuedAt: at, expiresAt: dayAt(day + 90) })
    const claims = passports.map((passport, number) => ({
      passport,
      status: number % 2 === 0 ? ('failed' as const) : ('completed' as const),
    }))
    await insertEndedClaims(db, { ...own, claims, at })
    await insertOldTransactions(
      db,
      each((number) => ({ network, sender: '0x1', nonce: day * perDay + number })),
      at,
    )
    await insertOldEvents(db, { ...own, count: perDay, createdAt: at })
    await insertOldTallies(db, { ...own, count: perDay, createdAt: at })
    await insertLoggedRequests(db, {
      organization,
      key: v7(),
      requests: each((number) => [`${day}-${number}`, at]),
    })
    await insertRemovedDemos(db, { organization, count: perDay, at })
    await insertPortalLinks(db, { organization, count: perDay, expiresAt: at })
  }

  it('keeps every table within bounds through 13 months of the same work, and what has to stay', async () => {
    // Whatever its age: what has not ended, and attempts that somebody still reads.
    const old = dayAt(-400)
    const waiting = await insertJobs(db, [{ type: 'import', organization, status: 'pending', at: old }])
    await insertMessages(db, [{ createdAt: old, status: 'queued' }])
    const read = await insertOldTransactions(
      db,
      [
        { network, sender: '0x2', nonce: 0, status: 'lost' },
        { network, sender: '0x2', nonce: 1, kind: 'deploy' },
        { network: 'EthereumAnvil', sender: '0x2', nonce: 2 },
        { network, sender: '0x2', nonce: 3, status: 'submitted' },
      ],
      old,
    )
    // Of a time that no month was made for.
    await insertOldEvents(db, { organization, application, count: 1, createdAt: old })

    const tables = ['events', 'imports', ...removed.map(([table]) => table)]
    // The server vacuums in its own time too: of a small table a few pages more or less are there at any moment.
    const [pageBytes, fewPages] = [8192, 4]
    const sizes: Readonly<Record<string, TableSize>>[] = []
    for (let day = 0; day < months * monthDays; day++) {
      await maintainEventMonths({ db, settings } as unknown as Context, dayAt(day))
      await work(day)
      await keepTo(dayAt(day + 1))
      // As the server does by itself, in its own time.
      if (day % 10 === 9) await vacuumTables(db)
      if (day % monthDays === monthDays - 1) sizes.push(await measureTables(db))
    }
    const [fifth, last] = [sizes[4] ?? {}, sizes[months - 1] ?? {}]
    const days: Record<string, number> = {
      events: 60 + 31 + 1,
      imports: 90,
      jobs: 90,
      import_errors: 30,
      import_keys: 90,
      job_items: 90,
      messages: 1,
      idempotency: 30,
      sessions: 7,
      verifications: 1,
      sign_in_codes: 0,
      code_sends: 1,
      invitations: 7 + 30,
      magic_tokens: 90,
      claims: 90 + months * monthDays,
      chain_attempts: 100,
      events_rest: 0,
      event_tallies: 60,
      request_log: 30,
      billing_portal_links: 1 + 1,
      demo_runs: 90,
    }
    const stays: Record<string, number> = { jobs: 1, messages: 1, chain_attempts: read.length }
    for (const table of tables) {
      const bound = ((days[table] ?? NaN) + 1) * perDay + (stays[table] ?? 0)
      expect(last[table]?.rows, `rows of ${table}`).to.be.at.most(bound)
      // Completed claims stay. What never ends would have grown by 160 % in these eight months; pages differ by a few.
      if (table !== 'claims')
        expect(last[table]?.bytes, `bytes of ${table}`).to.be.at.most(
          (fifth[table]?.bytes ?? NaN) * 1.1 + fewPages * pageBytes,
        )
    }
    expect(await countClaims(db, { status: 'failed' })).to.be.at.most((91 * perDay) / 2)
    expect(await countClaims(db, { status: 'completed' })).to.equal((months * monthDays * perDay) / 2)
    expect(await readJobs(db, waiting)).to.have.length(1)
    expect(await listMessages(db, { status: 'queued' })).to.have.length(1)
    expect(await countAttempts(db, read)).to.equal(read.length)
    expect(last['chain_transactions']?.rows).to.equal(months * monthDays * perDay + read.length)
    expect(last['passports']?.rows).to.equal(months * monthDays * perDay)
    // Up to three that have ended, the present one, three ahead and the rest. Those of the real date went on the way.
    expect((await listEventMonths(db)).sort()).to.deep.equal([
      'events_2030_11',
      'events_2030_12',
      'events_2031_01',
      'events_2031_02',
      'events_2031_03',
      'events_2031_04',
      'events_rest',
    ])
  })

  it('goes on until nothing is left, in steps, and passes by what somebody has in hand', async () => {
    const old = dayAt(-1)
    await deleteMessages(db, { status: 'sent' })
    const [held = ''] = await insertMessages(
      db,
      Array.from({ length: 12_001 }, () => ({ createdAt: old })),
    )
    const release = await holdMessage(db, held)
    const retention = createRetentions(settings)['messages']
    if (retention === undefined || typeof retention === 'string') throw new Error('Messages are removed')
    await removeOldRows(db, 'messages', retention, dayAt(5))
    expect((await listMessages(db, { status: 'sent' })).map(({ id }) => id)).to.deep.equal([held])
    await release()
    await removeOldRows(db, 'messages', retention, dayAt(5))
    expect(await listMessages(db, { status: 'sent' })).to.have.length(0)
  })

  it('finds the rows of jobs that have ended among those of any number of others', async () => {
    const retention = createRetentions(settings)['import_errors']
    if (retention === undefined || typeof retention === 'string') throw new Error('Errors of imports are removed')
    await deleteImportErrors(db)
    const jobs = await insertJobs(
      db,
      Array.from({ length: 2_500 }, (_, number) => ({
        type: 'import',
        organization,
        status: 'completed',
        at: dayAt(number % 100),
      })),
    )
    await insertImportErrors(db, { jobs, lines: [1, 2, 3] })
    await removeOldRows(db, 'import_errors', retention, dayAt(100))
    // Of days 70 to 99.
    expect((await measureTables(db))['import_errors']?.rows).to.equal(3 * 25 * 30)
    await removeOldRows(db, 'import_errors', retention, dayAt(131))
    expect((await measureTables(db))['import_errors']?.rows).to.equal(0)
  })

  it('goes by the clock of the database where nobody tells another time', async () => {
    await deleteMessages(db, { status: 'sent' })
    await insertMessages(db, [
      { createdAt: new Date(Date.now() - 90_000_000) },
      { createdAt: new Date(Date.now() - 80_000_000), subject: 'young' },
    ])
    for (const [table, retention] of removed.filter(([name]) => name === 'messages'))
      await removeOldRows(db, table, retention)
    const left = await listMessages(db, { status: 'sent' })
    expect(left.map(({ subject }) => subject)).to.deep.equal(['young'])
  })
})
