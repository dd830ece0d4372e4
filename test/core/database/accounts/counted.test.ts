import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { migrateSchema } from '../../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { listMigrationFiles } from '../../../../core/database/migrations.ts'
import { startDatabaseServer, type DatabaseServer } from '../../../support/database/database-server.ts'

describe('Migration 091: accounts that were counted', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let db: Knex
  const [organization, application] = [v7(), v7()]
  const books = { points: v7(), visits: v7(), other: v7() }
  const [now, yearAgo] = [new Date(), new Date(Date.now() - 365 * 86_400_000)]
  const month = (at: Date) => `${at.toISOString().slice(0, 7)}-01`
  const accounts = { old: v7(), back: v7(), fresh: v7(), visitor: v7(), claimer: v7(), stranger: v7() }

  before(async () => {
    server = await startDatabaseServer()
    const { url } = await server.createDatabase()
    db = connectDatabase({ url, name: 'tests', maxConnections: 2 })
    const files = await listMigrationFiles()
    await migrateSchema(
      url,
      files.filter(({ name }) => name < '091'),
    )
    const shop = { name: 'Shop', slug: 'shop' }
    await db('organizations').insert({ ...shop, id: organization, customer_type: 'company', settings: {} })
    await db('applications').insert({ ...shop, id: application, organization, default_network: 'EthereumAnvil' })
    for (const [name, id] of Object.entries(books))
      await db('ledger_books').insert({ id, organization, name, subject: v7(), network: null, has_lots: false })
    for (const id of Object.values(accounts)) await insertAccount(id)
    await post('points', accounts.old, yearAgo)
    await post('points', accounts.back, yearAgo)
    for (const _ of [1, 2]) await post('points', accounts.back, now)
    for (const _ of [1, 2]) await post('points', accounts.fresh, now)
    await post('visits', accounts.visitor, now)
    await post('other', accounts.stranger, now)
    await insertClaim(accounts.claimer, now)
    await insertClaim(accounts.fresh, yearAgo)
    await db('meter_periods').insert({ organization, meter: 'wallets', period: month(now), used: 10 })
    await migrateSchema(url)
  })
  after(async () => {
    await db?.destroy()
    await server?.stop()
  })

  async function insertAccount(id: string): Promise<void> {
    await db('users').insert({ id, email: `${id}@people.example`, email_verified: true })
    const network = 'EthereumAnvil'
    await db('accounts').insert({ id, organization, application, network, address: id, user_id: id })
  }

  /** Posts one point, with the other side of the book. */
  async function post(name: keyof typeof books, owner: string, at: Date): Promise<void> {
    const [entry, book] = [v7(), books[name]]
    const side = { entry, book, recorded_at: at }
    await db('ledger_postings').insert([
      { ...side, place: 0, owner, amount: 1 },
      { ...side, place: 1, owner: book, amount: -1 },
    ])
  }

  async function insertClaim(account: string, at: Date): Promise<void> {
    const passport = v7()
    const own = { organization, application, network: 'EthereumAnvil' }
    await db('passports').insert({ ...own, id: passport, status: 'published', product: { itemNumber: passport } })
    await db('claims').insert({
      id: v7(),
      organization,
      application,
      passport,
      job: v7(),
      end_user: account,
      account,
      created_at: at,
    })
  }

  it('gives accounts the months of their entries, visits and claims', async () => {
    const rows = await db('accounts').select<{ id: string; active: string | null; wallet: string | null }[]>(
      'id',
      db.raw('active_month::text as active'),
      db.raw('wallet_month::text as wallet'),
    )
    const months = new Map(rows.map(({ id, active, wallet }) => [id, [active, wallet]]))
    const found = Object.entries(accounts).map(([name, id]) => [name, months.get(id)])
    expect(Object.fromEntries(found)).to.deep.equal({
      old: [null, month(yearAgo)],
      back: [month(now), month(yearAgo)],
      fresh: [month(now), month(yearAgo)],
      visitor: [month(now), month(now)],
      claimer: [null, month(now)],
      stranger: [null, null],
    })
  })

  it('counts those of the present month as used', async () => {
    const used = await db('meter_periods')
      .where({ organization })
      .orderBy('meter')
      .select('meter', 'used', db.raw('period::text as period'))
    expect(used).to.deep.equal([
      { meter: 'loyalty.activeUsers', used: 3, period: month(now) },
      { meter: 'wallets', used: 12, period: month(now) },
    ])
  })
})
