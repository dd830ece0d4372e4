import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { openSignerStore } from '../../../../core/chains/signer/store.ts'
import { migrateSchema } from '../../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../../core/database/connection.ts'
import { maintainEventMonths } from '../../../../core/features/events/index.ts'
import type { Context } from '../../../../core/kernel/work.ts'
import { insertJobItems } from '../../../../core/queue/batches/items.ts'
import { removeOldRows } from '../../../../core/queue/upkeep/retention.ts'
import { listRemovals, createRetentions } from '../../../../core/app/retentions.ts'
import { startDatabaseServer, type DatabaseServer } from '../../../support/database/database-server.ts'

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
    application = v7()
    user = v7()
    await db('organizations').insert({ id: organization, name: 'O', slug: 'o', customer_type: 'company', settings: {} })
    await db('applications').insert({ id: application, organization, name: 'A', slug: 'a', default_network: network })
    await db('users').insert({ id: user, email: 'a@b.example' })
  })
  after(async () => {
    await db?.destroy()
    await server?.stop()
  })

  const count = async (table: string, condition = 'true'): Promise<number> => {
    const {
      rows: [row],
    } = await db.raw<{ rows: { count: number }[] }>(`select count(*)::int as count from ${table} where ${condition}`)
    return row?.count ?? NaN
  }

  /** Of a table with its indexes and whatever lies beside it; of one by months, all of its parts. */
  const bytes = async (table: string): Promise<number> => {
    const {
      rows: [row],
    } = await db.raw<{ rows: { bytes: number }[] }>(
      `select sum(pg_total_relation_size(part))::float8 as bytes from (
         select ?::regclass as part union all select inhrelid from pg_inherits where inhparent = ?::regclass) parts`,
      [table, table],
    )
    return row?.bytes ?? NaN
  }

  const keepTo = async (at: Date) => {
    await maintainEventMonths({ db, settings } as unknown as Context, at)
    for (const [table, retention] of removed) await removeOldRows(db, table, retention, at)
  }

  const message = (at: Date, status = 'sent') => ({
    id: v7(),
    channel: 'email',
    recipient: 'a@b.example',
    subject: '',
    body: '',
    status,
    created_at: at,
  })
  const job = (at: Date, status = 'completed') => ({
    id: v7(),
    type: 'import',
    organization,
    total: 1,
    payload: {},
    status,
    created_at: at,
    updated_at: at,
  })

  it('says of every table what becomes of its rows', async () => {
    const { rows } = await db.raw<{ rows: { name: string }[] }>(`
      select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'signer') and c.relkind in ('r', 'p')
        and (not c.relispartition or pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT')`)
    expect(Object.keys(createRetentions(settings)).sort()).to.deep.equal(rows.map(({ name }) => name).sort())
  })

  /** What an installation leaves in a day. */
  async function work(day: number): Promise<void> {
    const at = dayAt(day)
    const each = <T>(make: (number: number) => T) => Array.from({ length: perDay }, (_, number) => make(number))
    const jobs = each((number) => job(at, number === 0 ? 'failed' : 'completed'))
    const passports = each(() => v7())
    await db('jobs').insert(jobs)
    await db('imports').insert(
      jobs.map(({ id }) => ({
        job: id,
        organization,
        application,
        name: 'batch',
        source: 'upload',
        finished_at: at,
        created_at: at,
      })),
    )
    await db('import_errors').insert(
      jobs.map(({ id }) => ({ job: id, line: 1, path: '', code: 'required', message: 'is missing' })),
    )
    await db('import_keys').insert(jobs.map(({ id }) => ({ job: id, key: randomBytes(16) })))
    await Promise.all(
      jobs.map(({ id }) => insertJobItems(db, { job: id, step: 'publish' }, [{ line: 1, subject: v7() }])),
    )
    await db('messages').insert(each(() => message(at)))
    await db('idempotency').insert(
      each((key) => ({
        scope: 's',
        operation: 'o',
        key: `${day} ${key}`,
        request_hash: randomBytes(8),
        state: 'done',
        holder: v7(),
        lease_until: at,
        body: randomBytes(300),
        expires_at: dayAt(day + 30),
      })),
    )
    await db('sessions').insert(
      each(() => ({
        id: v7(),
        token: createHash('sha256').update(randomBytes(16)).digest('base64url'),
        user_id: user,
        kind: 'member',
        expires_at: dayAt(day + 7),
      })),
    )
    await db('verifications').insert(
      each(() => ({ id: v7(), identifier: 'i', value: 'v', expires_at: dayAt(day + 1) })),
    )
    await db('sign_in_codes').insert(each(() => ({ name: v7(), code_hash: 'h', expires_at: at })))
    await db('code_sends').insert(each(() => ({ budget: v7(), at })))
    await db('passports').insert(passports.map((id) => ({ id, organization, application, network, created_at: at })))
    await db('magic_tokens').insert(
      passports.map((passport) => ({ passport, jti: v7(), issued_at: at, expires_at: dayAt(day + 90) })),
    )
    await db('claims').insert(
      passports.map((passport, number) => ({
        id: v7(),
        organization,
        application,
        passport,
        job: v7(),
        end_user: 'u',
        status: number % 2 === 0 ? 'failed' : 'completed',
        created_at: at,
        updated_at: at,
      })),
    )
    const transactions = each((number) => ({
      id: v7(),
      network,
      sender: '0x1',
      nonce: day * perDay + number,
      kind: 'mint',
      status: 'final',
      created_at: at,
    }))
    await db('chain_transactions').insert(transactions)
    await db('chain_attempts').insert(
      transactions.map(({ id }) => ({
        hash: `0x${id}`,
        transaction: id,
        raw: randomBytes(200),
        created_at: at,
      })),
    )
    await db('events').insert(
      each(() => ({
        id: v7(),
        organization,
        application,
        application_name: 'A',
        subject: 'application',
        type: 'update',
        created_at: at,
      })),
    )
  }

  it('keeps every table within bounds through 13 months of the same work, and what has to stay', async () => {
    // Whatever its age: what has not ended, and attempts that somebody still reads.
    const old = dayAt(-400)
    const waiting = job(old, 'pending')
    await db('jobs').insert(waiting)
    await db('messages').insert(message(old, 'queued'))
    const read = [{ status: 'lost' }, { kind: 'deploy' }, { network: 'EthereumAnvil' }, { status: 'submitted' }].map(
      (what, nonce) => ({
        id: v7(),
        network,
        sender: '0x2',
        nonce,
        kind: 'mint',
        status: 'final',
        created_at: old,
        ...what,
      }),
    )
    await db('chain_transactions').insert(read)
    await db('chain_attempts').insert(
      read.map(({ id, nonce }) => ({ hash: `0xread${nonce}`, transaction: id, raw: randomBytes(9), created_at: old })),
    )
    // Of a time that no month was made for.
    await db('events').insert({
      id: v7(),
      organization,
      application,
      application_name: 'A',
      subject: 'application',
      type: 'update',
      created_at: old,
    })

    const tables = ['events', 'imports', ...removed.map(([table]) => table)]
    // The server vacuums in its own time too: of a small table a few pages more or less are there at any moment.
    const [pageBytes, fewPages] = [8192, 4]
    const sizes: Record<string, { rows: number; bytes: number }>[] = []
    for (let day = 0; day < months * monthDays; day++) {
      await maintainEventMonths({ db, settings } as unknown as Context, dayAt(day))
      await work(day)
      await keepTo(dayAt(day + 1))
      // As the server does by itself, in its own time.
      if (day % 10 === 9) await db.raw(`vacuum ${tables.join(', ')}`)
      if (day % monthDays !== monthDays - 1) continue
      const found = await Promise.all(
        tables.map(async (table) => [table, { rows: await count(table), bytes: await bytes(table) }] as const),
      )
      sizes.push(Object.fromEntries(found))
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
      magic_tokens: 90,
      claims: 90 + months * monthDays,
      chain_attempts: 100,
      events_rest: 0,
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
    expect(await count('claims', `status = 'failed'`)).to.be.at.most((91 * perDay) / 2)
    expect(await count('claims', `status = 'completed'`)).to.equal((months * monthDays * perDay) / 2)
    expect(await count('jobs', `id = '${waiting.id}'`)).to.equal(1)
    expect(await count('messages', `status = 'queued'`)).to.equal(1)
    expect(await count('chain_attempts', `hash like '0xread%'`)).to.equal(read.length)
    expect(await count('chain_transactions')).to.equal(months * monthDays * perDay + read.length)
    expect(await count('passports')).to.equal(months * monthDays * perDay)
    // Up to three that have ended, the present one, three ahead and the rest. Those of the real date went on the way.
    const parts = await db.raw<{ rows: { name: string }[] }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass`,
    )
    expect(parts.rows.map(({ name }) => name).sort()).to.deep.equal([
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
    const [held, ...others] = Array.from({ length: 12_001 }, () => message(old))
    if (!held) throw new Error('There is no message')
    await db('messages').where({ status: 'sent' }).delete()
    await db.batchInsert('messages', [held, ...others], 3_000)
    const holder = await db.transaction()
    await holder('messages').where({ id: held.id }).forUpdate().first('id')
    const retention = createRetentions(settings)['messages']
    if (retention === undefined || typeof retention === 'string') throw new Error('Messages are removed')
    await removeOldRows(db, 'messages', retention, dayAt(5))
    expect(await db('messages').where({ status: 'sent' }).pluck('id')).to.deep.equal([held.id])
    await holder.rollback()
    await removeOldRows(db, 'messages', retention, dayAt(5))
    expect(await count('messages', `status = 'sent'`)).to.equal(0)
  })

  it('finds the rows of jobs that have ended among those of any number of others', async () => {
    const [retention, jobs] = [
      createRetentions(settings)['import_errors'],
      Array.from({ length: 2_500 }, (_, at) => job(dayAt(at % 100))),
    ]
    if (retention === undefined || typeof retention === 'string') throw new Error('Errors of imports are removed')
    await db('import_errors').delete()
    await db.batchInsert('jobs', jobs, 1_000)
    await db.batchInsert(
      'import_errors',
      jobs.flatMap(({ id }) =>
        [1, 2, 3].map((line) => ({ job: id, line, path: '', code: 'required', message: 'is missing' })),
      ),
      2_500,
    )
    await removeOldRows(db, 'import_errors', retention, dayAt(100))
    // Of days 70 to 99.
    expect(await count('import_errors')).to.equal(3 * 25 * 30)
    await removeOldRows(db, 'import_errors', retention, dayAt(131))
    expect(await count('import_errors')).to.equal(0)
  })

  it('goes by the clock of the database where nobody tells another time', async () => {
    await db('messages').where({ status: 'sent' }).delete()
    await db('messages').insert([
      message(new Date(Date.now() - 90_000_000)),
      { ...message(new Date(Date.now() - 80_000_000)), subject: 'young' },
    ])
    for (const [table, retention] of removed.filter(([name]) => name === 'messages'))
      await removeOldRows(db, table, retention)
    expect(await db('messages').where({ status: 'sent' }).pluck('subject')).to.deep.equal(['young'])
  })
})
