import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase, createDirectDatabase, type Statement } from '../../../core/database/connection.ts'
import { newId } from '../../../core/database/model.ts'
import { sheetPassportStatement } from '../../../core/features/dpp/passports/store/passports.store.insert.ts'
import { createPlanTable, readPlans } from '../../../core/features/organization/index.ts'
import { createHeldBlockSql, createMeters, createUseSql } from '../../../core/meters/index.ts'
import type { BenchSetup } from '../bench-setup.ts'
import { removeCreated } from '../data.ts'
import { atLeast, computeMedian, createRatioFigure, type Figure } from '../figures.ts'

/** The requests that a process handles at the same time for one organization. */
const connections = 8
// Many short turns: what else the machine does for some seconds must not fall on one side alone.
const turns = { count: 41, ms: 800 }
const quickTurns = { count: 3, ms: 500 }

/**
 * Creates the statement with which the API creates a passport of a sheet, or the same without the use of a unit: it
 * neither holds a block nor records anything.
 */
function createStatement(isMetered: boolean): Statement {
  if (isMetered) return sheetPassportStatement
  const replacements = [
    [createHeldBlockSql('$12::bigint'), 'select $12::bigint as id'],
    [`, used as (${createUseSql('$12::bigint', '1', 'made')})`, ''],
  ] as const
  const text = replacements.reduce((before, [part, other]) => {
    if (!before.includes(part)) throw new Error('The statement uses its unit in another way')
    return before.replace(part, () => other)
  }, sheetPassportStatement.text)
  return { name: 'bench_without_units', text }
}

/** Measures in turns how fast passports are inserted with the use of a unit, and without. */
export async function measureQuotas({ options, facts, databaseUrl, db }: BenchSetup): Promise<Figure[]> {
  const connection = { url: databaseUrl, name: 'tessera-bench', maxConnections: connections }
  const pool = connectDatabase(connection)
  const direct = createDirectDatabase(pool)
  const table = createPlanTable(readPlans())
  const meters = createMeters(connection, { clock: { now: () => new Date() }, table })
  const { organization, creation } = facts
  const sheet = await db('sheets').where({ id: creation.sheet }).first<{ version: number }>('version')
  const fields = JSON.stringify({ serialNumber: 'SN-1', color: 'red', size: 3, origin: { country: 'FR', year: 2026 } })
  const run = async (isMetered: boolean, ms: number): Promise<number> => {
    const statement = createStatement(isMetered)
    let inserted = 0
    let isOver = false
    const insertUntilOver = async () => {
      while (!isOver) {
        const { block } = isMetered ? await meters.takeUnit({ organization, meter: 'dpp.operations' }) : { block: 1 }
        const [row] = await direct.queryRows<{ shown: object | null }>(statement, [
          newId(),
          creation.sheet,
          organization,
          sheet.version,
          fields,
          null,
          [],
          null,
          null,
          null,
          newId(),
          block,
        ])
        if (!row?.shown) throw new Error('A passport was not inserted')
        inserted++
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
      what: `create a passport as the API does on ${connections} connections, with the use of a unit`,
      unit: 'statements/s',
      baseline: { name: 'without', value: computeMedian(speeds.plain) },
      ours: computeMedian(speeds.metered),
      target: atLeast(0.95),
    }),
  ]
}
