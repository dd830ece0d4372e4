import { randomUUID } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { pino } from 'pino'
import { WorkerThreadPool } from '../../../../core/http/apart/thread-pool.ts'
import type { Caller } from '../../../../core/kernel/caller.ts'
import type { OverloadedError } from '../../../../core/kernel/overloaded.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { waitUntil } from '../../../support/processes.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'
import { spinning } from './children/spinning.ts'

describe('core/http: work in worker threads', () => {
  const createThreads = (moduleUrl = new URL('./children/spinning.thread.ts', import.meta.url)) =>
    new WorkerThreadPool({
      moduleUrl,
      workerData: null,
      log: pino({ level: 'silent' }),
      maxRunning: 1,
      maxRunningOfOwner: 1,
      maxWaiting: 10,
      maxWaitingOfOwner: 10,
    })
  /** The threads of the test that have begun, the first one first. */
  let begun: Worker[] = []
  const recordThread = (thread: Worker) => begun.push(thread)
  const isOver = ({ threadId }: Worker) => threadId === -1
  let threads: WorkerThreadPool
  let api: Api

  before(async () => {
    process.on('worker', recordThread)
    threads = createThreads()
    api = await serveApi(await getOperator(), [spinning], {}, { workerThreads: threads })
  })
  beforeEach(() => {
    begun = []
  })
  after(async () => {
    await api.stop()
    await threads.close()
    process.off('worker', recordThread)
  })

  const of = (organization: string): Caller => ({
    kind: 'key',
    application: null,
    id: 'k',
    organization,
    permissions: {},
  })
  const spin = (caller: Caller, body: object): Promise<Answer> =>
    createApiClient({}, api.url).post('/v1/spin', body, { skipsDocumentCheck: true, headers: api.as(caller) })

  it('ends what goes on for more than two seconds together with its thread, and does what waited for its place', async () => {
    const [one, other] = [of(randomUUID()), of(randomUUID())]
    const endless = spin(one, { forever: true })
    const [waited, ended] = await Promise.all([spin(other, {}), endless])
    expect([ended.status, ended.body['detail']]).to.deep.equal([503, 'This takes more than the 2 s that it may take.'])
    expect(ended.headers['retry-after']).to.equal('10')
    expect(ended.body['code']).to.equal(undefined)
    expect([waited.status, waited.body['text']]).to.deep.equal([200, 'done'])
    expect(begun.map(isOver), 'the thread of each').to.deep.equal([true, false])
    expect((await spin(one, {})).status).to.equal(200)
    expect(begun).to.have.length(2)
  })

  it('is ended at the first look after two seconds where it had a processor for itself', async () => {
    const own = createThreads()
    const work = (body: object) => own.runTask('spin_v1', Buffer.from(JSON.stringify(body)), 'owner')
    await work({})
    const [thread] = begun as [Worker]
    let [startedAt, looks] = [0, 0]
    thread.cpuUsage = async (before) => {
      if (before) looks++
      else startedAt = performance.now()
      const half = (performance.now() - startedAt) * 500
      return { user: half, system: half }
    }
    const [ended] = await Promise.allSettled([work({ forever: true })])
    expect(String(ended?.status === 'rejected' && ended.reason)).to.contain('more than the 2 s')
    expect([looks, isOver(thread)]).to.deep.equal([1, true])
    await own.close()
  })

  it('goes on in another thread when an idle one has died', async () => {
    const own = createThreads()
    const work = () => own.runTask('spin_v1', Buffer.from('{}'), 'owner')
    await work()
    await begun[0]?.terminate()
    expect([await work(), begun.map(isOver)]).to.deep.equal([{ text: 'done' }, [true, false]])
    await own.close()
  })

  it('is over when the threads are closed', async () => {
    const own = createThreads()
    const work = (body: object) => own.runTask('spin_v1', Buffer.from(JSON.stringify(body)), 'owner')
    await work({})
    const refused = work({ forever: true }).catch((error: Error) => error.name)
    await own.close()
    expect(begun.map(isOver)).to.deep.equal([true])
    expect(await refused).to.equal('OverloadedError')
  })

  /** Runs a task of which nothing but its refusal is of interest. */
  const readRefusal = (pool: WorkerThreadPool) =>
    pool.runTask('spin_v1', Buffer.from('{}'), 'owner').then(
      () => 'no refusal',
      ({ name, message, retryAfterSeconds }: OverloadedError) => ({ name, message, retryAfterSeconds }),
    )
  const notNow = {
    name: 'OverloadedError',
    message: 'This cannot be done now. Try again shortly.',
    retryAfterSeconds: 2,
  }

  it('is refused for a body that its schema does not allow, as where no thread is needed', async () => {
    const { status, body } = await spin(of(randomUUID()), { forever: 'yes' })
    expect([status, body['code'], body['errors']?.[0]?.['path']]).to.deep.equal([422, 'VALIDATION_FAILED', 'forever'])
  })

  it('is refused for a while when its thread fails at its start', async () => {
    const own = createThreads(new URL(`data:text/javascript,throw new Error('no')`))
    expect(await readRefusal(own)).to.deep.equal(notNow)
    expect(begun.map(isOver)).to.deep.equal([true])
    await own.close()
  })

  it('is refused at once when the threads are closed while its thread starts', async () => {
    const own = createThreads(new URL('data:text/javascript,setInterval(() => undefined, 1_000)'))
    const refusal = readRefusal(own)
    await waitUntil('its thread has begun', () => begun.length === 1)
    await own.close()
    expect(await refusal).to.deep.equal(notNow)
    // A thread may take 15 s to start: who is refused only then has waited for a thread that is gone.
  }).timeout(10_000)

  it('is refused for an operation that no thread handles', async () => {
    const own = createThreads()
    const [refused] = await Promise.allSettled([own.runTask('other_v1', Buffer.from('{}'), 'owner')])
    expect(String(refused?.status === 'rejected' && refused.reason)).to.contain('other_v1 is not handled apart')
    await own.close()
  })
})
