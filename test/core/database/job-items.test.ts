import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { migrateSchema } from '../../../core/commands/migrate.ts'
import { connectDatabase } from '../../../core/database/connection.ts'
import { copyRows } from '../../../core/database/copy.ts'
import { listMigrationFiles } from '../../../core/database/migrations.ts'
import { startDatabaseServer, type DatabaseServer } from '../../support/database/database-server.ts'

interface UnitRow {
  line: number
  passport: string
}

describe('Migration 056: items of jobs', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  let db: Knex
  const [publish, certify, structure] = [v7(), v7(), v7()]
  const passports = Array.from({ length: 6 }, () => v7())
  const units = passports.map((passport, line) => ({ line, passport }))

  before(async () => {
    server = await startDatabaseServer()
    const { url } = await server.createDatabase()
    db = connectDatabase({ url, name: 'tests', maxConnections: 2 })
    const files = await listMigrationFiles()
    await migrateSchema(
      url,
      files.filter(({ name }) => name < '056'),
    )
    await db('jobs').insert(
      [publish, certify, structure].map((id) => ({ id, type: 'publish', organization: id, total: 6, payload: {} })),
    )
    await db('passport_units').insert(units.map((unit) => ({ ...unit, job: publish })))
    await db('passport_units').insert(units.map((unit) => ({ ...unit, job: certify, step: 'certify' })))
    await db('structure_units').insert(units.map((unit) => ({ ...unit, job: structure })))
    await migrateSchema(url)
  })
  after(async () => {
    await db?.destroy()
    await server?.stop()
  })

  const listItems = (job: string) =>
    db('job_items').where({ job }).orderBy('line').select('line', 'step', 'subject') as Promise<unknown[]>

  it('has the units that jobs had still to do', async () => {
    for (const [job, step] of [
      [publish, 'publish'],
      [certify, 'certify'],
      [structure, 'structure'],
    ] as const) {
      expect(await listItems(job)).to.deep.equal(passports.map((subject, line) => ({ line, step, subject })))
    }
  })

  // The statements of the version before, which works on until it is stopped.
  it('lets processes of the version before take units of passports and of parents', async () => {
    const taken = await db.raw<{ rows: UnitRow[] }>(
      `delete from passport_units where job = ? and line in (select line from (
         select next.* from (select u.*, row_number() over (order by u.line) as nth
           from (select line, passport from passport_units where job = ? and step = ? order by line limit ?) u
           left join passports p on p.id = u.passport) next where nth > 0) as taken) returning line, passport`,
      [publish, publish, 'publish', 2],
    )
    expect(taken.rows.sort((one, other) => one.line - other.line)).to.deep.equal(units.slice(0, 2))
    const linked = await db.raw<{ rows: UnitRow[] }>(
      `delete from structure_units
       where job = ? and line in (select line from structure_units where job = ? order by line limit ?)
       returning line, passport`,
      [structure, structure, 2],
    )
    expect(linked.rows.sort((one, other) => one.line - other.line)).to.deep.equal(units.slice(0, 2))
    expect(await listItems(publish)).to.have.length(4)
    expect(await listItems(structure)).to.have.length(4)
  })

  it('shows what processes of the version before add, also by COPY', async () => {
    await db.raw(
      `insert into passport_units (job, step, line, passport)
       select ?, 'certify', unit.line, unit.passport from unnest(?::int[], ?::uuid[]) as unit (line, passport)`,
      [publish, [10], [passports[0] ?? '']],
    )
    await db.raw(
      `insert into structure_units (job, line, passport)
       select ?, unit.line + 9, unit.passport from unnest(?::uuid[]) with ordinality as unit (passport, line)`,
      [structure, [passports[0] ?? '']],
    )
    await db.transaction(async (trx) => {
      const lines = [`${structure}\t11\t${passports[1]}\n`]
      const { stored } = await copyRows(trx, [{ into: 'structure_units (job, line, passport)', lines }])
      await stored
    })
    expect((await listItems(publish)).at(-1)).to.deep.equal({ line: 10, step: 'certify', subject: passports[0] })
    expect((await listItems(structure)).slice(-2)).to.deep.equal([
      { line: 10, step: 'structure', subject: passports[0] },
      { line: 11, step: 'structure', subject: passports[1] },
    ])
  })

  it('lets processes of the version before remove old units', async () => {
    for (const table of ['passport_units', 'structure_units']) {
      await db.raw(
        `delete from ${table} where ctid = any(array(
           select r.ctid from ${table} r where r.job = any(?::uuid[]) limit 5000 for update of r skip locked))`,
        [[certify, structure]],
      )
    }
    expect(await listItems(certify)).to.deep.equal([])
    expect(await listItems(structure)).to.deep.equal([])
    expect(await listItems(publish)).to.have.length(5)
  })
})
