import { expect } from 'chai'
import type { Knex } from 'knex'
import { cpus } from 'node:os'
import { connectDatabase } from '../../../core/database/connection.ts'
import { verifyLedger } from '../../../core/ledger/index.ts'
import { createBook } from '../../core/ledger/books.ts'
import { Rehearsal, type Step } from '../../core/ledger/rehearsal.ts'
import { useServers } from '../../core/queue/servers.ts'
import { keepFigures } from '../../figures/keep-figures.ts'
import { killBackend, readTransaction, readTransactionStatus } from '../../support/rows/database/backends.ts'

const operationCount = Number(process.env['TEST_OPERATIONS'] ?? 100_000)
const seed = Number(process.env['LEDGER_SEED'] ?? 20_261)
const ownerCount = 40
/** One in so many transactions loses its connection, at any statement or during its commit. */
const crashEvery = 25
/** The longest time until a connection is ended, in milliseconds: about as long as a transaction lasts. */
const maxDelayMs = 30
/** Operations between two replays of the whole ledger. */
const verifyEvery = 20_000

interface Crashes {
  /** Transactions whose connection was ended, by what became of them. */
  committed: number
  aborted: number
  /** Balances that were compared after them. */
  compared: number
}

describe(`core/ledger: ${operationCount.toLocaleString('en')} random operations beside a plain model, with crashes`, () => {
  const servers = useServers()
  let killer: Knex
  before(() => {
    killer = connectDatabase({ url: servers().database.url, name: 'tests', maxConnections: 2 })
  })
  after(() => killer?.destroy())

  it('have its balances, lots and holds after each crash', async () => {
    const { db } = servers()
    const book = await createBook(db)
    const rehearsal = new Rehearsal(db, book, { seed, ownerCount })
    const crashes: Crashes = { committed: 0, aborted: 0, compared: 0 }
    const startedAt = Date.now()
    let transactions = 0
    let verified = 0
    for (let nextReplay = verifyEvery; rehearsal.done < operationCount; transactions++) {
      const hasCrash = rehearsal.random() < 1 / crashEvery
      const happens = rehearsal.random() >= 0.05
      if (hasCrash) await runToCrash(rehearsal, crashes)
      else {
        const trx = await db.transaction()
        const { tell } = await rehearsal.step(trx)
        await (happens ? trx.commit() : trx.rollback())
        if (happens) tell()
      }
      if (rehearsal.done < nextReplay) continue
      nextReplay += verifyEvery
      verified++
      expect((await verifyLedger(db, { organization: book.organization })).differences).to.deep.equal([])
    }
    await rehearsal.compareAll()
    const { checked, differences } = await verifyLedger(db, { organization: book.organization })
    expect([checked, differences]).to.deep.equal([rehearsal.model.operations.size, []])
    expect(crashes.aborted).to.be.above(operationCount / 2_000)
    keepFigures('proof/ledger-model', {
      command: 'npm run test:long -- test/proof/outages/ledger-model.long.ts',
      processors: cpus().length,
      seed,
      operations: rehearsal.done,
      entries: checked,
      owners: ownerCount,
      transactions,
      crashes: crashes.aborted + crashes.committed,
      crashesAborted: crashes.aborted,
      crashesCommitted: crashes.committed,
      balancesComparedAfterCrashes: crashes.compared,
      replays: verified + 1,
      differences: differences.length,
      seconds: Math.round((Date.now() - startedAt) / 1_000),
      counts: Object.fromEntries([...rehearsal.counts].sort()),
    })
  }).timeout(7_200_000)

  /** Does a step whose connection is ended while it is at work, and finds out what became of its transaction. */
  async function runToCrash(rehearsal: Rehearsal, crashes: Crashes): Promise<void> {
    // Its own connection: nobody else is to be given one that is ended in the next moment.
    const doomed = connectDatabase({ url: servers().database.url, name: 'tests', maxConnections: 1 })
    const trx = await doomed.transaction()
    const { id, backend } = await readTransaction(trx)
    const delayMs = rehearsal.random() * maxDelayMs
    const ended = new Promise((resolve) => setTimeout(resolve, delayMs)).then(() => killBackend(killer, backend))
    let step: Step | undefined
    try {
      step = await rehearsal.step(trx)
      await trx.commit()
    } catch (error) {
      // What an assertion of the rehearsal refuses is a failure of the test; a lost connection is what was wanted.
      if (!isLostConnection(error)) throw error
      await trx.rollback().catch((cause: unknown) => {
        if (!isLostConnection(cause)) throw cause
      })
    }
    await ended
    await doomed.destroy()
    const status = await readTransactionStatus(killer, id)
    if (status === 'committed') step?.tell()
    crashes[status]++
    crashes.compared += await rehearsal.compareAll()
  }
})

/** Whether a statement failed because the server ended its connection. Source: PostgreSQL, class 57 of the error codes. */
function isLostConnection(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  return code === '57P01' || /terminat|closed|not queryable|ended/i.test(message)
}
