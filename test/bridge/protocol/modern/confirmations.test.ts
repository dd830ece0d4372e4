import { expect } from 'chai'
import fc from 'fast-check'
import {
  startTestBridge,
  FixtureApi,
  useFixtureBridge,
  getRecordedHeader,
  sendReply,
  type TestBridge,
} from '../../../support/bridge/bridge-fixture.ts'
import { sendModernRequest, parseResult } from '../../../support/bridge/modern-client.ts'
import { startRedisServer } from '../../../support/database/redis-server.ts'

const callers = ['a', 'b']
const widgets = ['w-1', 'w-2']
const answers = {
  yes: { action: 'accept', content: { confirm: true } },
  no: { action: 'accept', content: { confirm: false } },
  decline: { action: 'decline' },
  nonsense: { action: 'accept', content: { confirm: 'yes' } },
}

interface Issued {
  readonly caller: string
  readonly widget: string
  readonly state: string
  used: boolean
}

/** Mostly null: as it was asked. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })

const begin = fc.record({
  does: fc.constant('begin' as const),
  caller: fc.constantFrom(...callers),
  widget: fc.constantFrom(...widgets),
})
const answer = fc.record({
  does: fc.constant('answer' as const),
  which: fc.nat(),
  caller: seldom(fc.constantFrom(...callers)),
  widget: seldom(fc.constantFrom(...widgets)),
  says: fc.constantFrom(...(Object.keys(answers) as (keyof typeof answers)[]), 'yes' as const),
  changed: seldom(fc.nat()),
})

describe('requestState of confirmations: order and caller do not matter', () => {
  const { api, bridge } = useFixtureBridge()
  before(() => {
    for (const widget of widgets)
      api.setHandler(`DELETE /v1/widgets/${widget}`, (_, response) => sendReply(response, 200, { id: widget }))
  })

  const call = (caller: string, widget: string, more: object = {}) =>
    sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'delete_widget', arguments: { id: widget }, ...more },
      { capabilities: { elicitation: {} }, headers: { 'x-api-key': caller } },
    )

  it('send exactly what the same caller was asked and confirmed, once', async () => {
    let sent = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 1, arbitrary: begin }, { weight: 2, arbitrary: answer }), {
          minLength: 4,
          maxLength: 12,
          size: 'max',
        }),
        async (steps) => {
          const issued: Issued[] = []
          for (const step of steps) {
            api.clearRecords()
            if (step.does === 'begin') {
              const { requestState } = parseResult<{ requestState: string }>(await call(step.caller, step.widget))
              issued.push({ caller: step.caller, widget: step.widget, state: requestState, used: false })
              expect(api.recordedRequests).to.deep.equal([])
              continue
            }
            const issuedQuestion = issued[step.which % issued.length]
            if (!issuedQuestion) continue
            const caller = step.caller ?? issuedQuestion.caller
            const widget = step.widget ?? issuedQuestion.widget
            const requestState =
              step.changed === null ? issuedQuestion.state : changedAt(issuedQuestion.state, step.changed)
            await call(caller, widget, { inputResponses: { confirm: answers[step.says] }, requestState })
            const counts =
              caller === issuedQuestion.caller
              && widget === issuedQuestion.widget
              && step.changed === null
              && step.says === 'yes'
              && !issuedQuestion.used
            expect(api.recordedRequests.map((one) => [one.url, getRecordedHeader(one, 'x-api-key')])).to.deep.equal(
              counts ? [[`/v1/widgets/${widget}`, caller]] : [],
            )
            if (
              caller === issuedQuestion.caller
              && widget === issuedQuestion.widget
              && step.changed === null
              && (step.says === 'yes' || step.says === 'no')
            )
              issuedQuestion.used = true
            if (counts) sent++
          }
        },
      ),
      { numRuns: 60 },
    )
    expect(sent).to.be.above(10)
  })
})

describe('requestState of a confirmation, shown to two processes', () => {
  const api = new FixtureApi()
  const bridges: TestBridge[] = []
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  before(async () => {
    redis = await startRedisServer()
    const url = await api.start()
    const env = { MCP_SECRET: Buffer.alloc(32, 9).toString('base64'), REDIS_URL: redis.url }
    bridges.push(await startTestBridge(url, env), await startTestBridge(url, env))
    await Promise.all(bridges.map((bridge) => bridge.ready))
    api.setHandler('DELETE /v1/widgets/w-1', (_, response) => sendReply(response, 200, { id: 'w-1' }))
  })
  after(async () => {
    await Promise.all(bridges.map((bridge) => bridge.stop()))
    await Promise.all([api.stop(), redis.stop()])
  })

  it('counts once, asked at either and answered at both', async () => {
    const call = (bridge: TestBridge | undefined, more: object = {}) =>
      sendModernRequest(
        bridge?.url ?? '',
        'tools/call',
        { name: 'delete_widget', arguments: { id: 'w-1' }, ...more },
        { capabilities: { elicitation: {} } },
      )
    for (const issuingBridge of bridges) {
      api.clearRecords()
      const { requestState } = parseResult<{ requestState: string }>(await call(issuingBridge))
      const confirmed = { inputResponses: { confirm: answers.yes }, requestState }
      const texts = (await Promise.all(bridges.map((bridge) => call(bridge, confirmed)))).map(({ text }) => text)
      expect(texts.filter((text) => text.includes('was used before'))).to.have.length(1)
      expect(api.recordedRequests).to.have.length(1)
    }
  })
})

/** Another letter at one place. */
const changedAt = (text: string, place: number) => {
  const at = place % text.length
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}
