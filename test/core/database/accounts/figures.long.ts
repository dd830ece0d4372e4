import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { migrateSchema } from '../../../../core/commands/migrate.ts'
import { connectDatabase, createDirectDatabase } from '../../../../core/database/connection.ts'
import { listPage } from '../../../../core/database/list/index.ts'
import { listMigrationFiles } from '../../../../core/database/migrations.ts'
import { accountColumns, createAccountSource } from '../../../../core/features/accounts/index.ts'
import { defaultPageRequest, type PageRequest } from '../../../../core/kernel/page.ts'
import { startDatabaseServer, type DatabaseServer } from '../../../support/database/database-server.ts'
import { explainList } from '../../../support/database/list-plans.ts'

describe('Migration 059: figures of accounts', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let db: Knex
  const [organization, application] = [v7(), v7()]

  before(async () => {
    server = await startDatabaseServer()
    const { url } = await server.createDatabase()
    db = connectDatabase({ url, name: 'tests', maxConnections: 2, withoutTimeouts: true })
    const files = await listMigrationFiles()
    await migrateSchema(
      url,
      files.filter(({ name }) => name < '059'),
    )
    const shop = { name: 'Shop', slug: 'shop' }
    await db('organizations').insert({ ...shop, id: organization, customer_type: 'company', settings: {} })
    await db('applications').insert({ ...shop, id: application, organization, default_network: 'EthereumAnvil' })
    await insertOldAccounts()
    await migrateSchema(url)
  })
  after(async () => {
    await db?.destroy()
    await server?.stop()
  })

  const accounts = { owner: v7(), claimer: v7(), stranger: v7() }

  async function insertAccount(id: string): Promise<void> {
    await db('users').insert({ id, email: `${id}@people.example`, email_verified: true })
    const network = 'EthereumAnvil'
    await db('accounts').insert({ id, organization, application, network, address: id, user_id: id })
  }

  /** A passport of an account with its claim, whose transfer stands on the chain unless it failed. */
  async function insertClaimed(account: string, { at, status = 'completed' }: { at: string; status?: string }) {
    const id = v7()
    const minted = status === 'completed' ? { minted_to: account, status: 'claimed' } : { status: 'published' }
    await db('passports').insert({
      id,
      organization,
      application,
      network: 'EthereumAnvil',
      ...minted,
      product: { itemNumber: id },
    })
    const [claim, job] = [v7(), v7()]
    const operation = `claim:${claim}`
    await db('claims').insert({
      id: claim,
      organization,
      application,
      passport: id,
      job,
      end_user: account,
      account,
      status,
      kind: 'mintTo',
      operation,
    })
    if (status !== 'completed') return
    const transfer = { operation, passport: id, type: 'claim', to_address: account, contract: '0x1', at }
    await db('passport_transfers').insert({ ...transfer, transaction_hash: '0x2' })
  }

  async function insertOldAccounts(): Promise<void> {
    for (const id of Object.values(accounts)) await insertAccount(id)
    await insertClaimed(accounts.owner, { at: '2026-02-01T00:00:00.000Z' })
    await insertClaimed(accounts.owner, { at: '2026-01-01T00:00:00.000Z' })
    await insertClaimed(accounts.claimer, { at: '2026-03-01T00:00:00.000Z', status: 'failed' })
    await insertClaimed(accounts.claimer, { at: '2026-02-02T00:00:00.000Z' })
  }

  const read = (page: Partial<PageRequest>) =>
    listPage(
      createAccountSource(createDirectDatabase(db), organization),
      { ...defaultPageRequest, ...page },
      accountColumns,
    )

  it('counts the passports that accounts have claimed before, and knows when the newest was', async () => {
    const { data } = await read({ sorters: [{ field: 'dpp.passportCount', order: 'desc' }] })
    expect(data.map((row) => [row.id, row.passport_count, row.last_activity_at?.toISOString() ?? null])).to.deep.equal([
      [accounts.owner, 2, '2026-02-01T00:00:00.000Z'],
      [accounts.claimer, 1, '2026-02-02T00:00:00.000Z'],
      [accounts.stranger, 0, null],
    ])
    expect(data.map(({ points, points_pending, visits }) => [points, points_pending, visits])).to.deep.equal(
      data.map(() => ['0', '0', 0]),
    )
  })

  describe('with many accounts', () => {
    before(async () => {
      await db.raw(
        `with made as (select gen_random_uuid() as id, n from generate_series(1, 20000) n),
         people as (insert into users (id, email, email_verified) select id, 'p' || n || '@people.example', true from made)
         insert into accounts (id, organization, application, network, address, user_id, points, visits, passport_count,
           last_activity_at, created_at)
         select id, ?, ?, 'EthereumAnvil', 'x' || md5(n::text), id, n * 7919 % 20000, n % 40, n % 5,
           case when n % 3 = 0 then '-infinity' else '2026-01-01Z'::timestamptz + n * 7919 % 20000 * interval '1 second' end,
           '2026-01-01Z'::timestamptz + n * interval '1 second'
         from made`,
        [organization, application],
      )
      await db.raw('analyze')
    })

    const indexes: Record<string, string> = {
      createdAt: 'accounts_organization',
      updatedAt: 'accounts_updated',
      address: 'accounts_address',
      'loyalty.optimisticBalance': 'accounts_points',
      'loyalty.visits': 'accounts_visits',
      'dpp.passportCount': 'accounts_passport_count',
      'dpp.lastActivityAt': 'accounts_last_activity',
    }
    const explain = (page: Partial<PageRequest>) =>
      explainList(createDirectDatabase(db), 'accounts', (direct) =>
        listPage(createAccountSource(direct, organization), { ...defaultPageRequest, ...page }, accountColumns),
      )

    for (const [field, index] of Object.entries(indexes)) {
      for (const order of ['asc', 'desc'] as const) {
        it(`reads a page by ${field}, ${order}, and the page after it, from an index alone`, async () => {
          const first = await read({ sorters: [{ field, order }] })
          for (const cursor of [null, first.nextCursor]) {
            const nodes = await explain({ sorters: [{ field, order }], cursor })
            expect(nodes.map((node) => [node['Index Name'], node['Actual Rows']])).to.deep.equal([[index, 11]])
            expect(nodes[0]?.['Rows Removed by Filter'] ?? 0).to.equal(0)
          }
        })
      }
    }

    it('finds one person by e-mail without reading others', async () => {
      const condition = { field: 'user.email', operator: 'eq', value: 'P77@people.example', path: 'filters' } as const
      const nodes = await explain({ filters: { operator: 'and', value: [condition] } })
      expect(nodes.map((node) => [node['Index Name'], node['Actual Rows']])).to.deep.equal([['accounts_user_id', 1]])
    })
  })
})
