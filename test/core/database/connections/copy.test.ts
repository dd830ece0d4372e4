import type { Socket } from 'node:net'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Client } from 'pg'
import { readByCopy } from '../../../../core/database/copy.out.ts'
import { copyRows, escapeCopyJson, escapeCopyList, escapeCopyText } from '../../../../core/database/copy.ts'
import { getOperator } from '../../identity/people.ts'

describe('core/database/copy: rows by COPY', () => {
  /** Runs in a transaction with a table of its own, which is gone afterwards. */
  const withTable = async <T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> => {
    const { db } = await getOperator()
    return db.transaction(async (trx) => {
      await trx.raw('create temporary table copied (n int, text text, json jsonb, list text[]) on commit drop')
      return work(trx)
    })
  }

  it('stores each of many rows once, however long they are together', async () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, text: `row ${n} `.padEnd(50, 'x') }))
    // One that fills a chunk by itself.
    rows.push({ n: 3_000, text: 'y'.repeat(200_000) })
    for (const ahead of [false, true]) {
      const stored = await withTable(async (trx) => {
        const lines = rows.map(({ n, text }) => `${n}\t${text}\n`)
        await (
          await copyRows(trx, [{ into: 'copied (n, text)', lines, ahead }])
        ).stored
        return trx('copied').orderBy('n').select('n', 'text')
      })
      expect(stored, `ahead: ${ahead}`).to.deep.equal(rows)
    }
  })

  it('keeps what COPY reads as its own: tabs, line breaks, backslashes, quotes and the sign of null', async () => {
    const text = 'a\tb\nc\rd\\e\\N"{},'
    const stored = await withTable(async (trx) => {
      const values = [
        1,
        escapeCopyText(text),
        escapeCopyJson(JSON.stringify({ text })),
        escapeCopyList([text, '', 'NULL']),
      ]
      const lines = [`${values.join('\t')}\n`, `2\t${escapeCopyText(null)}\tnull\t${escapeCopyList([])}\n`]
      await (
        await copyRows(trx, [{ into: 'copied', lines }])
      ).stored
      return trx('copied').orderBy('n').select('*')
    })
    expect(stored).to.deep.equal([
      { n: 1, text, json: { text }, list: [text, '', 'NULL'] },
      { n: 2, text: null, json: null, list: [] },
    ])
  })

  it('ends with the error of whoever makes the rows, and the transaction goes on to its rollback', async () => {
    const cause = await withTable(async (trx) => {
      const lines = (function* () {
        yield '1\tone\n'
        throw new Error('no second row')
      })()
      await copyRows(trx, [{ into: 'copied (n, text)', lines }])
    }).catch((error: Error) => error.message)
    expect(cause).to.equal('no second row')
  })

  it('reads nothing further while a piece of the rows is handled', async () => {
    const states: boolean[] = []
    const count = await withTable(async (trx) => {
      const lines = Array.from({ length: 20_000 }, (_, n) => `${n}\t${'x'.repeat(50)}\n`)
      await (
        await copyRows(trx, [{ into: 'copied (n, text)', lines }])
      ).stored
      const client = await (trx.client as { acquireConnection(): Promise<Client> }).acquireConnection()
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      return readByCopy(client, 'table copied', async () => void states.push(stream.isPaused()))
    })
    expect(count).to.equal(20_000)
    expect(states.length, 'pieces').to.be.above(2)
    // With the last piece, everything has been read.
    expect(states.slice(0, -1).every(Boolean), 'paused').to.equal(true)
  })
})
