import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase, createDirectDatabase } from '../../../core/database/connection.ts'
import { newId } from '../../../core/database/model.ts'
import { sheetPassportStatement } from '../../../core/features/dpp/passports/store/passports.store.insert.ts'
import { createPlanTable, readPlans } from '../../../core/features/organization/index.ts'
import { createMeters } from '../../../core/meters/index.ts'
import type { BenchSetup } from '../bench-setup.ts'
import { createUnmeteredStatement } from '../children/unmetered.ts'
import { createCreateRequest } from '../bodies.ts'
import { removeCreated } from '../data.ts'
import { atLeast, computeMedian, createInformativeFigure, createRatioFigure, type Figure } from '../figures.ts'
import { loadTurns, type WeighedLoad } from '../load.ts'

/** The requests that a process handles at the same time for one organization. */
const connections = 8
// Many short turns: what else the machine does for some seconds must not fall on one side alone.
const statementTurns = { count: 41, ms: 800 }
const quickStatementTurns = { count: 3, ms: 500 }
const apiTurns = { turns: 15, seconds: 3 }
const quickApiTurns = { turns: 2, seconds: 1 }

/** Measures in turns how fast the API creates passports, and how fast one that uses no units does. */
export async function measureQuotas(stand: BenchSetup): Promise<Figure[]> {
  const { options, facts, db, scratch } = stand
  const requests = [createCreateRequest(facts)]
  const [api, unmetered] = [await stand.api(), await stand.unmetered()]
  try {
    const pace = { connections, ...(options.quick ? quickApiTurns : apiTurns) }
    const sides = [api, unmetered].map(({ url, pid }) => ({ url, pid, requests }))
    const [metered = [], plain = []] = await loadTurns(sides, pace, scratch)
    const listSpeeds = (runs: readonly WeighedLoad[]) => runs.map(({ perSecond }) => perSecond)
    const [withUnits, without] = [listSpeeds(metered), listSpeeds(plain)]
    return [
      createRatioFigure({
        row: 'quotas',
        what: `create a passport over the API on ${connections} connections, with the use of a unit`,
        unit: 'requests/s',
        baseline: { name: 'without', value: computeMedian(without) },
        ours: computeMedian(withUnits),
        ratio: computeMedianRatio(withUnits, without),
        target: atLeast(0.95),
      }),
      await measureStatements(stand),
    ]
  } finally {
    await removeCreated(db, facts)
  }
}

/** Measures in turns how fast the statement alone inserts passports with the use of a unit, and without. */
async function measureStatements({ options, facts, databaseUrl, db }: BenchSetup): Promise<Figure> {
  const connection = { url: databaseUrl, name: 'tessera-bench', maxConnections: connections }
  const pool = connectDatabase(connection)
  const direct = createDirectDatabase(pool)
  const table = createPlanTable(readPlans())
  const meters = createMeters(connection, { clock: { now: () => new Date() }, table })
  const { organization, creation } = facts
  const sheet = await db('sheets').where({ id: creation.sheet }).first<{ version: number }>('version')
  const fields = JSON.stringify({ serialNumber: 'SN-1', color: 'red', size: 3, origin: { country: 'FR', year: 2026 } })
  const run = async (isMetered: boolean, ms: number): Promise<number> => {
    const statement = isMetered ? sheetPassportStatement : createUnmeteredStatement()
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
  const { count, ms } = options.quick ? quickStatementTurns : statementTurns
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
  }
  return createInformativeFigure({
    row: 'quotas',
    what: 'the same, its statement alone',
    unit: 'statements/s',
    baseline: { name: 'without', value: computeMedian(speeds.plain) },
    ours: computeMedian(speeds.metered),
  })
}

/**
 * Computes the median of the ratios of runs that were made one after the other. The machine is faster in some minutes than
 * in others, which changes both runs of a pair alike, and the medians of both sides not.
 */
const computeMedianRatio = (ours: readonly number[], others: readonly number[]): number =>
  computeMedian(ours.map((speed, at) => speed / (others[at] ?? Number.NaN)))
