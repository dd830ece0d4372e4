import { expect } from 'chai'
import type { Knex } from 'knex'
import { connectDatabase, createDirectDatabase } from '../../../../core/database/connection.ts'
import { computeTotal } from '../../../../core/database/list/total.ts'
import { useServers } from '../../queue/servers.ts'

type StatementSources = typeof import('../../../../core/database/list/statement-source.ts')
const sourceModule = '../../../../core/database/list/statement-source.ts'
let loadCount = 0

describe('core/database/list: prepared statements', () => {
  const servers = useServers()
  const opened: Knex[] = []

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy()
  })

  /** Reads the total of a list on a connection of its own, by statements of a module that has prepared none yet. */
  async function createReader() {
    const { createStatementSource } = (await import(
      `${import.meta.resolve(sourceModule)}?own=${Date.now()}.${loadCount++}`
    )) as StatementSources
    const db = connectDatabase({ url: servers().database.url, name: 'tests', maxConnections: 1 })
    opened.push(db)
    const createSource = (counted: string, bindings: readonly unknown[] = []) =>
      createStatementSource(createDirectDatabase(db), {
        table: 'rows',
        selected: 'rows.name',
        tenancy: { sql: 'true', bindings: [] },
        counted: { sql: counted, bindings: bindings as string[] },
      })
    const read = (counted: string, bindings: readonly unknown[] = []) =>
      createSource(counted, bindings).readMaintainedTotal?.([])
    /** Lists what the connection has prepared, by name. */
    const listPrepared = () =>
      db('pg_prepared_statements').whereLike('name', 'list\\_%').orderBy('name').select<Prepared[]>('name', 'statement')
    return { read, createSource, listPrepared }
  }
  interface Prepared {
    name: string
    statement: string
  }

  it('have a name of their own that is always the same, and the placeholders of the driver', async () => {
    const { read, listPrepared } = await createReader()
    expect(await read('select ?::int + ?::int', [3, 4])).to.equal(7)
    const [one] = await listPrepared()
    expect(one?.statement).to.equal('select (select $1::int + $2::int) as total')
    await read('select 5')
    const prepared = await listPrepared()
    expect(prepared).to.have.length(2)
    for (const { name } of prepared) expect(name).to.match(/^list_[\w-]{22}$/)
    expect(await read('select ?::int + ?::int', [5, 6])).to.equal(11)
    expect(await listPrepared()).to.deep.equal(prepared)
    const { read: readElsewhere, listPrepared: listElsewhere } = await createReader()
    await readElsewhere('select ?::int + ?::int', [1, 1])
    expect(await listElsewhere(), 'in another process').to.deep.equal([one])
  })

  it('are at most 64, and those that are known stay prepared', async () => {
    const { read, listPrepared } = await createReader()
    for (let at = 0; at < 64; at++) expect(await read(`select ${at}`)).to.equal(at)
    const prepared = await listPrepared()
    expect(prepared).to.have.length(64)
    expect([await read('select 64'), await read('select 63')]).to.deep.equal([64, 63])
    expect(await listPrepared()).to.deep.equal(prepared)
  })

  it('read a total only where the rows do not carry it', async () => {
    const { createSource, read, listPrepared } = await createReader()
    expect(await createSource('select 9').readMaintainedTotal?.([{ total: 3 }])).to.equal(3)
    expect(await createSource('select 9').readMaintainedTotal?.([{ total: null }])).to.equal(0)
    expect(await listPrepared()).to.deep.equal([])
    expect(await read('select 9')).to.equal(9)
  })

  it('count in time where twice as many are estimated as can be counted', async () => {
    let isTimed = false
    const count = async () => 10_001
    const countWithin = async () => {
      isTimed = true
      return 90_000
    }
    expect(await computeTotal({ count, countWithin, estimate: async () => 200_000 })).to.deep.equal({ total: 90_000 })
    expect(isTimed).to.equal(true)
  })
})
