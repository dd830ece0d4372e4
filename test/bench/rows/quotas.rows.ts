import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase, createDirectDatabase, type Statement } from '../../../core/database/connection.ts'
import { createPlanTable, readPlans } from '../../../core/features/organization/index.ts'
import { createHeldBlockSql, createMeters, createUseSql } from '../../../core/meters/index.ts'
import type { BenchSetup } from '../bench-setup.ts'
import { removeCreated } from '../data.ts'
import { atLeast, computeMedian, createRatioFigure, type Figure } from '../figures.ts'

/** The requests that a process handles at the same time for one organization. */
const connections = 8
const turns = { count: 9, ms: 2_000 }
const quickTurns = { count: 3, ms: 500 }

/** Creates the statement that inserts a passport and its event, with the use of a unit or without. */
function createStatement(isMetered: boolean): Statement {
  const held = isMetered ? `held as materialized (${createHeldBlockSql('$4::bigint')}), ` : ''
  const used = isMetered ? `, used as (${createUseSql('1', 'held, made')})` : ''
  return {
    name: isMetered ? 'bench_metered' : 'bench_plain',
    text: `
      with ${held}made as (
        insert into passports (id, organization, application, sheet, sheet_version, network, fields)
        select uuidv7(), s.organization, s.application, s.id, s.schema_version, s.network, $3::jsonb
        from sheets s where s.id = $2 and s.organization = $1
          and ${isMetered ? 'exists (select from held)' : '$4::bigint is not null'}
        returning *
      ), told as (
        insert into events (id, organization, application, application_name, subject, type, passport)
        select uuidv7(), organization, application, 'Shop', 'dppPassport', 'create', to_jsonb(made) from made
      )${used}
      select id from made`,
  }
}

/** Measures in turns how fast passports are inserted with the use of a unit, and without. */
export async function measureQuotas({ options, facts, databaseUrl, db }: BenchSetup): Promise<Figure[]> {
  const connection = { url: databaseUrl, name: 'tessera-bench', maxConnections: connections }
  const pool = connectDatabase(connection)
  const direct = createDirectDatabase(pool)
  const table = createPlanTable(readPlans())
  const meters = createMeters(connection, { clock: { now: () => new Date() }, table })
  const { organization, creation } = facts
  const fields = JSON.stringify({ serialNumber: 'SN-1', color: 'red', size: 3, origin: { country: 'FR', year: 2026 } })
  const run = async (isMetered: boolean, ms: number): Promise<number> => {
    const statement = createStatement(isMetered)
    let inserted = 0
    let isOver = false
    const insertUntilOver = async () => {
      while (!isOver) {
        const { block } = isMetered ? await meters.takeUnit({ organization, meter: 'dpp.operations' }) : { block: 1 }
        inserted += (await direct.queryRows(statement, [organization, creation.sheet, fields, block])).length
      }
    }
    const running = Promise.all(Array.from({ length: connections }, insertUntilOver))
    await sleep(ms)
    isOver = true
    await running
    return inserted / (ms / 1_000)
  }
  const { count, ms } = options.quick ? quickTurns : turns
  const speeds = { plain: [] as number[], metered: [] as number[] }
  try {
    for (const isMetered of [false, true]) await run(isMetered, 500)
    for (let turn = 0; turn < count; turn++) {
      // Who begins changes, so that what slows down in the meantime slows both.
      for (const isMetered of turn % 2 ? [true, false] : [false, true])
        speeds[isMetered ? 'metered' : 'plain'].push(await run(isMetered, ms))
    }
  } finally {
    await meters.close()
    await pool.destroy()
    await removeCreated(db, facts)
  }
  return [
    createRatioFigure({
      row: 'quotas',
      what: `insert a passport and its event on ${connections} connections, with the use of a unit`,
      unit: 'statements/s',
      baseline: { name: 'without', value: computeMedian(speeds.plain) },
      ours: computeMedian(speeds.metered),
      target: atLeast(0.95),
    }),
  ]
}
