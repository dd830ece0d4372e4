import { expect } from 'chai'
import pg from 'pg'
import { v7 } from 'uuid'
import { runAdmin } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'

describe('admin cleanup', () => {
  const database = new pg.Client(platform.database)
  before(() => database.connect())
  after(() => database.end())

  it('removes what was kept for its days, beside the worker, and nothing else', async () => {
    const mark = `cleanup-${v7()}`
    for (const [recipient, days] of [
      ['old', 40],
      ['young', 0],
    ]) {
      await database.query(
        `insert into messages (id, channel, recipient, subject, body, status, created_at)
        values ($1, 'email', $2, $3, '', 'sent', now() - make_interval(days => $4))`,
        [v7(), `${recipient}@people.example`, mark, days],
      )
    }
    const ran = await runAdmin(platform.dataDir, 'cleanup', '--json')
    expect(ran.code, ran.err).to.equal(0)
    expect(Object.keys(ran.json)).to.deep.equal(['seconds', 'bytes'])
    expect(ran.json['bytes']).to.be.above(1_000_000)
    const { rows } = await database.query<{ recipient: string }>(
      'delete from messages where subject = $1 returning recipient',
      [mark],
    )
    expect(rows).to.deep.equal([{ recipient: 'young@people.example' }])
  })
})
