import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createNotices } from '../../../../core/database/notices.ts'
import { platform } from '../../../support/platform.ts'
import { waitUntil } from '../../../support/processes.ts'
import { getOperator } from '../../identity/people.ts'

describe('core/database/notices: notices', () => {
  it('ask the server again and again whether it is still there, also while nothing happens', async () => {
    const { db } = await getOperator()
    const {
      rows: [{ now }],
    } = await db.raw<{ rows: [{ now: Date }] }>('select clock_timestamp() as now')
    const countBeats = async () => {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `select from pg_stat_activity where application_name = 'tessera notices' and query = 'select 1' and query_start > ?`,
        [now],
      )
      return rowCount
    }
    await waitUntil('a process asks', async () => (await countBeats()) > 0)
  })

  it('wait longer from one attempt to the next while the server is away', async () => {
    const attempts: string[] = []
    const log = pino({}, { write: (line) => void attempts.push(line) })
    // Nothing listens on the discard port.
    const notices = createNotices({ url: 'postgres://nobody@127.0.0.1:9/none', log })
    await waitUntil('it has tried three times', () => attempts.length >= 3)
    await sleep(100)
    await notices.close()
    expect(attempts.length, 'no more than a few in the meantime').to.be.below(10)
    for (const line of attempts) expect(line).to.contain('the listening connection is lost')
  })

  it('are heard on every channel that was asked for at once, one statement after the other', async () => {
    const { db } = await getOperator()
    const notices = createNotices({ url: platform.database, log: pino({ level: 'silent' }) })
    const warnings: string[] = []
    const warned = ({ message }: Error) => void warnings.push(message)
    process.on('warning', warned)
    try {
      await notices.ready()
      const channels = [...'abcdefghijkl'].map((letter) => `of_this_test_${letter}`)
      const heard = new Map<string, string[]>(channels.map((channel) => [channel, []]))
      const end = channels.map((channel) =>
        notices.subscribe(channel, (payload) => void heard.get(channel)?.push(payload)),
      )
      await waitUntil('each takes hold', async () => [...heard.values()].every((payloads) => payloads.length === 1))
      await db.transaction(async (trx) => {
        for (const channel of channels) await notices.notify(trx, channel, channel)
      })
      await waitUntil('each is heard', async () => [...heard.values()].every((payloads) => payloads.length === 2))
      expect([...heard.entries()]).to.deep.equal(channels.map((channel) => [channel, ['', channel]]))
      for (const deafen of end) deafen()
      expect(warnings).to.deep.equal([])
    } finally {
      process.off('warning', warned)
      await notices.close()
    }
  })
})
