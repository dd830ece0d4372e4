import { randomUUID } from 'node:crypto'
import { mock } from 'node:test'
import { expect } from 'chai'
import type { Caller } from '../../../../core/kernel/caller.ts'
import { answerJson } from '../../../../core/kernel/answer.ts'
import { declareOperation, type OutboundHandlerInput } from '../../../../core/kernel/operation.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import { object, string } from '../../../../core/kernel/schema.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { refuseDeletes } from '../../../support/database/refused-statements.ts'
import { waitUntil } from '../../../support/processes.ts'
import { endKeyLease, findStoredKey, hasTrace, leaveTrace } from '../../../support/rows/http/idempotency-keys.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'

const organization = randomUUID()
const caller: Caller = { kind: 'key', application: null, id: 'k', organization, permissions: { dpp: ['create'] } }

/** What the next requests do; each test says it. */
let outbound: (parts: OutboundHandlerInput) => Promise<unknown> = async () => ({ text: 'done' })
let calls = 0

const performing = declareOperation({
  id: 'perform_v1',
  method: 'POST',
  path: '/v1/perform',
  access: 'dpp:create',
  body: object({ text: string('Any text.') }),
  returns: { 201: object({ text: string('Any text.') }) },
  document: { tag: 'Tests', summary: 'Work outside' },
}).withOutboundHandler((parts) => {
  calls++
  return outbound(parts)
})

describe('Idempotency-Key: work that calls other systems', () => {
  let api: Api
  before(async () => {
    api = await serveApi(await getOperator(), [performing])
  })
  after(() => api.stop())
  beforeEach(() => {
    calls = 0
  })

  const send = (key: string): Promise<Answer> =>
    createApiClient({}, api.url).post(
      '/v1/perform',
      { text: 'a' },
      { headers: { ...api.as(caller), 'idempotency-key': key } },
    )
  const findKey = async (key: string) => findStoredKey((await getOperator()).db, key)
  const replayed = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true'

  it('is done once and answered again, with a transaction of its own or without', async () => {
    for (const way of [
      async () => answerJson({ text: 'outside' }),
      ({ finish }: OutboundHandlerInput) => finish(async () => ({ text: 'finished' })),
    ]) {
      outbound = way
      calls = 0
      const key = randomUUID()
      const [first, second] = [await send(key), await send(key)]
      expect([first.status, second.status, calls, replayed(first), replayed(second)]).to.deep.equal([
        201,
        201,
        1,
        false,
        true,
      ])
      expect(second.text).to.equal(first.text)
    }
  })

  it('writes its answer with its change: when the change is undone, so is the record', async () => {
    const key = randomUUID()
    outbound = ({ finish }) =>
      finish(async () => {
        throw new Error('the change fails')
      })
    expect((await send(key)).status).to.equal(500)
    expect(await findKey(key)).to.equal(undefined)
    outbound = ({ finish }) => finish(async () => ({ text: 'second time' }))
    expect((await send(key)).body['text']).to.equal('second time')
  })

  it('releases the key of a failed request as soon as the database lets it', async () => {
    const { db } = await getOperator()
    const key = randomUUID()
    const refused = await refuseDeletes(db, { key, times: 2 })
    try {
      outbound = async () => {
        throw new Error('the work fails')
      }
      expect((await send(key)).status).to.equal(500)
      await waitUntil('the key is free', async () => (await findKey(key)) === undefined)
      expect(await refused.countTries()).to.equal(3)
    } finally {
      await refused.stop()
    }
  })

  it('answers the committed change when it is repeated after a failure', async () => {
    const key = randomUUID()
    outbound = async ({ finish }) => {
      await finish(async () => ({ text: 'committed' }))
      throw new Error('afterwards')
    }
    expect((await send(key)).status).to.equal(500)
    const again = await send(key)
    expect([again.status, again.body['text'], calls]).to.deep.equal([201, 'committed', 1])
  })

  it('changes nothing when another request has taken its key over meanwhile', async () => {
    const { db } = await getOperator()
    const key = randomUUID()
    const begun = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    outbound = async ({ finish }) => {
      begun.resolve()
      await go.promise
      return finish(async ({ trx }) => {
        await leaveTrace(trx, key)
        return { text: 'first' }
      })
    }
    const first = send(key)
    await begun.promise
    await endKeyLease(db, key)
    outbound = async () => ({ text: 'second' })
    expect((await send(key)).body['text']).to.equal('second')
    go.resolve()
    const late = await first
    expect([late.status, late.body['code']]).to.deep.equal([409, 'IDEMPOTENCY_IN_PROGRESS'])
    expect(await hasTrace(db, key)).to.equal(false)
    expect((await send(key)).body['text']).to.equal('second')
  })

  it('keeps a refusal, and frees the key of what may be asked again', async () => {
    const key = randomUUID()
    outbound = async () => {
      throw createProblem('DPP_PASSPORT_NOT_CLAIMABLE', 'No.')
    }
    const [first, second] = [await send(key), await send(key)]
    expect([first.status, second.status, replayed(second), calls]).to.deep.equal([409, 409, true, 1])
    expect(second.headers['content-type']).to.equal('application/problem+json; charset=utf-8')
    const other = randomUUID()
    outbound = async () => {
      throw createProblem('RATE_LIMITED', 'Later.')
    }
    expect((await send(other)).status).to.equal(429)
    expect(await findKey(other)).to.equal(undefined)
  })

  it('holds its key for as long as it takes', async () => {
    const key = randomUUID()
    const done = Promise.withResolvers<void>()
    outbound = async () => {
      await done.promise
      return { text: 'slow' }
    }
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const slow = send(key)
      await waitUntil('the request holds its key', async () => (await findKey(key))?.state === 'running')
      await endKeyLease((await getOperator()).db, key)
      mock.timers.tick(20_000)
      await waitUntil(
        'the lease is renewed',
        async () => Number((await findKey(key))?.leaseUntil) > Date.now() + 50_000,
      )
      done.resolve()
      expect((await slow).status).to.equal(201)
    } finally {
      mock.timers.reset()
    }
  })
})
