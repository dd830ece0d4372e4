import { expect } from 'chai'
import { pino } from 'pino'
import { noticesOf } from '../../../core/database/notices.ts'
import { platform } from '../../support/platform.ts'
import { eventually } from '../../support/processes.ts'
import { operator } from '../identity/people.ts'

describe('Notices of the database', () => {
  it('are heard on every channel that was asked for at once, one statement after the other', async () => {
    const { db } = await operator()
    const notices = noticesOf({ url: platform.database, log: pino({ level: 'silent' }) })
    const warnings: string[] = []
    const warned = ({ message }: Error) => void warnings.push(message)
    process.on('warning', warned)
    try {
      await notices.ready()
      const channels = [...'abcdefghijkl'].map((letter) => `of_this_test_${letter}`)
      const heard = new Map<string, string[]>(channels.map((channel) => [channel, []]))
      const end = channels.map((channel) => notices.on(channel, (payload) => void heard.get(channel)?.push(payload)))
      await eventually('each takes hold', async () => [...heard.values()].every((payloads) => payloads.length === 1))
      await db.transaction(async (trx) => { for (const channel of channels) await notices.notify(trx, channel, channel) })
      await eventually('each is heard', async () => [...heard.values()].every((payloads) => payloads.length === 2))
      expect([...heard.entries()]).to.deep.equal(channels.map((channel) => [channel, ['', channel]]))
      for (const deafen of end) deafen()
      expect(warnings).to.deep.equal([])
    } finally {
      process.off('warning', warned)
      await notices.close()
    }
  })
})
