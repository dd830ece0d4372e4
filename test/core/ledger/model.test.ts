import { expect } from 'chai'
import { verifyLedger } from '../../../core/ledger/index.ts'
import { useServers } from '../queue/servers.ts'
import { createBook } from './books.ts'
import { Rehearsal } from './rehearsal.ts'

const operationCount = 4_000
const ownerCount = 12

/** What has to happen before the test ends, so that the comparison means something. */
const expectedCounts: Readonly<Record<string, number>> = {
  posted: 500,
  known: 50,
  refused: 50,
  expired: 50,
  'reversed credit': 20,
  'reversed debit': 20,
  'too much': 5,
  'hold held': 10,
  'commit posted': 3,
}

describe('core/ledger: random operations beside a plain model', function () {
  this.timeout(240_000)
  const servers = useServers()

  it(`have its balances, its lots, its holds and its refusals, at least ${operationCount.toLocaleString('en')} times`, async () => {
    const { db } = servers()
    const book = await createBook(db)
    const seed = Number(process.env['LEDGER_SEED'] ?? Date.now() % 2 ** 31)
    const rehearsal = new Rehearsal(db, book, { seed, ownerCount })
    const isMissing = ([what, count]: [string, number]) => (rehearsal.counts.get(what) ?? 0) < count
    try {
      // Some seeds need a few more operations until everything has happened that is to be compared.
      while (rehearsal.done < operationCount || Object.entries(expectedCounts).some(isMissing)) {
        const trx = await db.transaction()
        const { tell } = await rehearsal.step(trx)
        // One in ten transactions never happens: the model hears nothing of it.
        const happens = rehearsal.random() >= 0.1
        await (happens ? trx.commit() : trx.rollback())
        if (happens) tell()
      }
      await rehearsal.compareAll()
      const { checked, differences } = await verifyLedger(db, { organization: book.organization })
      expect([checked, differences]).to.deep.equal([rehearsal.model.operations.size, []])
    } catch (cause) {
      throw new Error(`With LEDGER_SEED=${seed}`, { cause })
    }
  })
})
