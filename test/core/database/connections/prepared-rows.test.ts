import { expect } from 'chai'
import type { Knex } from 'knex'
import pg from 'pg'
import { connectDatabase, createDirectDatabase } from '../../../../core/database/connection.ts'
import { useServers } from '../../queue/servers.ts'

describe('core/database: rows of prepared statements', () => {
  const servers = useServers()
  const opened: Knex[] = []

  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy()
  })

  function connect() {
    const db = connectDatabase({ url: servers().database.url, name: 'tests', maxConnections: 1 })
    opened.push(db)
    return { db, direct: createDirectDatabase(db) }
  }

  const wide = {
    name: 'wide',
    text: `select number, case when number > 1 then number::text end as maybe, number::bigint as big,
      '2026-01-02T03:04:05.678Z'::timestamptz as at, array[number] as list, jsonb_build_object('a', $2::text[]) as json,
      number = 1 as is_first, 'a' as a, 'b' as b, 'c' as c, 'd' as d, 'e' as e, 'f' as f, 'g' as g
      from generate_series(1, $1::int) number`,
  }

  it('answer the same rows each time as the driver alone', async () => {
    const { direct } = connect()
    const driver = new pg.Client({ connectionString: servers().database.url })
    await driver.connect()
    for (const values of [
      [2, ['x', null]],
      [0, []],
      [3, ['"', '\\']],
    ]) {
      const { rows: plain } = await driver.query<object>(wide.text, values)
      const prepared = await direct.queryRows<object>(wide, values)
      expect(prepared).to.deep.equal(plain)
      expect(prepared.map((row) => Object.keys(row))).to.deep.equal(plain.map((row) => Object.keys(row)))
      expect(await direct.queryRows<object>({ text: wide.text }, values), 'without a name').to.deep.equal(plain)
    }
    await driver.end()
  })

  it('leave the connection as it was after a value, a statement or a name that is refused', async () => {
    const { direct } = connect()
    const divide = { name: 'divide', text: 'select 6 / $1::int as result' }
    const getCode = (reading: Promise<unknown>) => reading.then(String, ({ code }: { code?: string }) => code)
    expect(await getCode(direct.queryRows(divide, ['six']))).to.equal('22P02')
    expect(await direct.queryRows(divide, [3])).to.deep.equal([{ result: 2 }])
    expect(await getCode(direct.queryRows(divide, [0]))).to.equal('22012')
    expect(await direct.queryRows(divide, [2])).to.deep.equal([{ result: 3 }])
    const broken = { name: 'broken', text: 'select nothing from nowhere' }
    expect(await getCode(direct.queryRows(broken, []))).to.equal('42P01')
    expect(await getCode(direct.queryRows(broken, []))).to.equal('42P01')
    const other = await direct.queryRows({ ...divide, text: 'select 1' }, []).catch((error: Error) => error.message)
    expect(other).to.match(/divide/)
    expect(await direct.queryRows(divide, [1])).to.deep.equal([{ result: 6 }])
  })

  it('refuse to answer when the columns have changed, and run statements without columns', async () => {
    const { db, direct } = connect()
    await db.raw('create temporary table shapes (one int)')
    const insert = { name: 'insert', text: 'insert into shapes values ($1)' }
    for (const one of [1, 2]) expect(await direct.queryRows(insert, [one])).to.deep.equal([])
    const read = { name: 'read', text: 'select * from shapes order by one' }
    for (let time = 0; time < 2; time++)
      expect(await direct.queryRows(read, [])).to.deep.equal([{ one: 1 }, { one: 2 }])
    await db.raw('alter table shapes add column two int')
    const refusal = await direct.queryRows(read, []).catch((error: Error) => error.message)
    expect(refusal).to.equal('cached plan must not change result type')
  })

  it('answer the next statement after an error between rows, and after a value that cannot be sent', async () => {
    const { direct } = connect()
    const divide = { name: 'halves', text: 'select 6 / (3 - n) as part from generate_series(1, $1::int) n' }
    const readError = (reading: Promise<unknown>) => reading.then(String, ({ message }: Error) => message)
    for (let time = 0; time < 2; time++) {
      expect(await direct.queryRows(divide, [2])).to.deep.equal([{ part: 3 }, { part: 6 }])
      expect(await readError(direct.queryRows(divide, [4]))).to.equal('division by zero')
    }
    const circular: { self?: object } = {}
    circular.self = circular
    const echo = { name: 'echo', text: 'select $1::jsonb as value' }
    for (let time = 0; time < 2; time++) {
      expect(await readError(direct.queryRows(echo, [circular]))).to.match(/circular/)
      expect(await direct.queryRows(echo, [{ a: [1] }])).to.deep.equal([{ value: { a: [1] } }])
    }
  })

  it('have the columns that their own connection knows', async () => {
    const [first, second] = [connect(), connect()]
    const name = `columns_${process.pid}`
    await first.db.raw(`create table ${name} (one int); insert into ${name} values (1)`)
    try {
      const read = { name: 'columns', text: `select * from ${name}` }
      expect(await first.direct.queryRows(read, [])).to.deep.equal([{ one: 1 }])
      await first.db.raw(`alter table ${name} add column two text default 'b'`)
      expect(await second.direct.queryRows(read, [])).to.deep.equal([{ one: 1, two: 'b' }])
      const refusal = await first.direct.queryRows(read, []).catch((error: Error) => error.message)
      expect(refusal).to.equal('cached plan must not change result type')
      expect(await second.direct.queryRows(read, [])).to.deep.equal([{ one: 1, two: 'b' }])
    } finally {
      await first.db.raw(`drop table ${name}`)
    }
  })
})
