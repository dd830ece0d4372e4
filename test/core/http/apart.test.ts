import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { ApartThreads } from '../../../core/http/apart/threads.ts'
import type { Caller } from '../../../core/kernel/caller.ts'
import { client, type Answer } from '../../support/client.ts'
import { operator } from '../identity/people.ts'
import { serveApi, type Api } from '../queue/api.ts'
import { spinning } from './children/spinning.ts'

describe('Work in threads of its own', () => {
  let threads: ApartThreads
  let api: Api

  before(async () => {
    threads = new ApartThreads({
      entry: new URL('./children/spinning.thread.ts', import.meta.url), workerData: null, log: pino({ level: 'silent' }),
      maxRunning: 1, maxRunningOfOwner: 1, maxWaiting: 10, maxWaitingOfOwner: 10,
    })
    api = await serveApi(await operator(), [spinning], {}, threads)
  })
  after(async () => {
    await api.stop()
    await threads.close()
  })

  const of = (organization: string): Caller => ({ kind: 'key', id: 'k', organization, permissions: {} })
  const spin = (caller: Caller, body: object): Promise<Answer> =>
    client({}, api.url).post('/v1/spin', body, { unjudged: true, headers: api.as(caller) })

  it('ends what goes on for more than two seconds together with its thread, and does what waited for its place', async () => {
    const [one, other] = [of(randomUUID()), of(randomUUID())]
    const endless = spin(one, { forever: true })
    const [waited, ended] = await Promise.all([spin(other, {}), endless])
    expect([ended.status, ended.body['detail']]).to.deep.equal([503, 'This takes more than the 2 s that it may take.'])
    expect(ended.headers['retry-after']).to.equal('10')
    expect(ended.body['code']).to.equal(undefined)
    expect([waited.status, waited.body['text']]).to.deep.equal([200, 'done'])
    expect((await spin(one, {})).status).to.equal(200)
  })
})
