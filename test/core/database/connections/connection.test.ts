import { expect } from 'chai'
import { connectDatabase, type ConnectionOptions } from '../../../../core/database/connection.ts'
import { platform } from '../../../support/platform.ts'

describe('core/database/connection: pools', () => {
  /** The timeouts of a connection as the server keeps them. */
  async function readTimeouts(options: Partial<ConnectionOptions>) {
    const db = connectDatabase({ url: platform.database, name: 'tests', maxConnections: 1, ...options })
    try {
      const { rows } = await db.raw<{ rows: { setting: string }[] }>(
        `select current_setting(name) as setting
         from unnest('{statement_timeout,idle_in_transaction_session_timeout}'::text[]) name`,
      )
      return rows.map(({ setting }) => setting)
    } finally {
      await db.destroy()
    }
  }

  it('have the server end long statements and idle transactions, unless they are made for long work', async () => {
    expect(await readTimeouts({})).to.deep.equal(['10s', '30s'])
    expect(await readTimeouts({ hasShortTimeouts: true })).to.deep.equal(['6s', '30s'])
    expect(await readTimeouts({ withoutTimeouts: true })).to.deep.equal(['0', '0'])
  })
})
