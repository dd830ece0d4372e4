import { expect } from 'chai'
import type { Knex } from 'knex'
import { v7 } from 'uuid'
import { appendOnlyTables, changeRows, grantChanges, insertPostings } from '../../support/rows/ledger/entries.ts'
import { useServers } from '../queue/servers.ts'
import { createBook, credit, debit } from './books.ts'

describe('core/ledger: what the database refuses', () => {
  const servers = useServers()
  const db = () => servers().db
  before(async () => {
    const book = await createBook(db())
    const owner = v7()
    await credit(db(), book, { owner, amount: 2n })
    await debit(db(), book, { owner, amount: 1n })
  })

  /** The message of the database about a change, which is rolled back in any case. */
  const readRefusal = async (change: (trx: Knex) => Promise<void>): Promise<string> => {
    const trx = await db().transaction()
    try {
      await change(trx)
      return 'nothing'
    } catch (cause) {
      return (cause as Error).message
    } finally {
      await trx.rollback()
    }
  }

  for (const table of appendOnlyTables) {
    it(`refuses to update, delete and empty ${table}, by right and by trigger`, async () => {
      for (const change of ['update', 'delete'] as const) {
        expect(await readRefusal((trx) => changeRows(trx, table, change))).to.include('permission denied')
        const refusal = await readRefusal(async (trx) => {
          await grantChanges(trx, table)
          await changeRows(trx, table, change)
        })
        expect(refusal, `${change} with the right`).to.include('the ledger is append-only')
      }
      expect(await readRefusal((trx) => changeRows(trx, table, 'empty'))).to.include('the ledger is append-only')
    })
  }

  it('refuses postings that do not sum to zero', async () => {
    expect(await readRefusal((trx) => insertPostings(trx, ['5', '-4']))).to.include('do not sum to zero')
    expect(await readRefusal((trx) => insertPostings(trx, ['5']))).to.include('do not sum to zero')
    expect(await readRefusal((trx) => insertPostings(trx, ['5', '-3', '-2']))).to.equal('nothing')
  })

  it('refuses postings that are added to an entry later', async () => {
    expect(await readRefusal((trx) => insertPostings(trx, ['5', '-5'], ['1', '-1']))).to.include('all its postings')
  })
})
