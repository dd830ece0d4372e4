import { expect } from 'chai'
import type { DirectDatabase, Statement } from '../../../../core/database/connection.ts'
import { computeTotal } from '../../../../core/database/list/total.ts'

type StatementSources = typeof import('../../../../core/database/list/statement-source.ts')
const sourceModule = '../../../../core/database/list/statement-source.ts'
let loadCount = 0

describe('core/database/list: prepared statements', () => {
  /** Reads the total of a list by statements of a module that has prepared none yet. */
  async function createReader() {
    const { createStatementSource } = (await import(
      `${import.meta.resolve(sourceModule)}?own=${Date.now()}.${loadCount++}`
    )) as StatementSources
    const sent: Statement[] = []
    const direct = {
      queryRows: async (statement: Statement) => {
        sent.push(statement)
        return []
      },
    } as unknown as DirectDatabase
    const createSource = (counted: string) =>
      createStatementSource(direct, {
        table: 'rows',
        selected: 'rows.name',
        tenancy: { sql: 'true', bindings: [] },
        counted: { sql: counted, bindings: [] },
      })
    const read = async (counted: string) => {
      await createSource(counted).readMaintainedTotal?.([])
      return sent.at(-1)
    }
    return { read, createSource, sent }
  }

  it('have a name of their own that is always the same, and the placeholders of the driver', async () => {
    const { read } = await createReader()
    const [one, other] = [await read('one ? and ?'), await read('other')]
    expect(one?.text).to.equal('select (one $1 and $2) as total')
    for (const statement of [one, other]) expect(statement?.name).to.match(/^list_[\w-]{22}$/)
    expect(one?.name).not.to.equal(other?.name)
    expect(await read('one ? and ?')).to.equal(one)
    const { read: readElsewhere } = await createReader()
    expect(await readElsewhere('one ? and ?'), 'in another process').to.deep.equal(one)
  })

  it('are at most 64, and those that are known stay prepared', async () => {
    const { read } = await createReader()
    for (let at = 0; at < 64; at++) expect((await read(`statement ${at}`))?.name, `${at}`).to.be.a('string')
    expect(await read('one more')).to.deep.equal({ text: 'select (one more) as total' })
    expect((await read('statement 63'))?.name).to.be.a('string')
  })

  it('read a total only where the rows do not carry it', async () => {
    const { createSource, sent } = await createReader()
    expect(await createSource('any').readMaintainedTotal?.([{ total: 3 }])).to.equal(3)
    expect(await createSource('any').readMaintainedTotal?.([{ total: null }])).to.equal(0)
    expect(sent).to.deep.equal([])
    expect(createSource('any').createCounter(null)).to.have.property('countWithin')
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
