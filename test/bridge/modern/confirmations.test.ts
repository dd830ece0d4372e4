import { expect } from 'chai'
import fc from 'fast-check'
import { bridgeFor, FixtureApi, fixtureBridge, headerOf, reply, type TestBridge } from '../../support/bridge-fixture.ts'
import { modern, resultOf } from '../../support/modern-client.ts'
import { startRedisServer } from '../../support/redis-server.ts'

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

const begin = fc.record({ does: fc.constant('begin' as const), caller: fc.constantFrom(...callers), widget: fc.constantFrom(...widgets) })
const answer = fc.record({
  does: fc.constant('answer' as const),
  which: fc.nat(),
  caller: seldom(fc.constantFrom(...callers)),
  widget: seldom(fc.constantFrom(...widgets)),
  says: fc.constantFrom(...(Object.keys(answers) as (keyof typeof answers)[]), 'yes' as const),
  changed: seldom(fc.nat()),
})

describe('confirmations in any order, by anybody', () => {
  const { api, bridge } = fixtureBridge()
  before(() => {
    for (const widget of widgets) api.on(`DELETE /v1/widgets/${widget}`, (_, response) => reply(response, 200, { id: widget }))
  })

  const call = (caller: string, widget: string, more: object = {}) =>
    modern(bridge.url, 'tools/call', { name: 'delete_widget', arguments: { id: widget }, ...more }, { capabilities: { elicitation: {} }, headers: { 'x-api-key': caller } })

  it('send exactly what the same caller was asked and confirmed, once', async () => {
    let sent = 0
    await fc.assert(fc.asyncProperty(fc.array(fc.oneof({ weight: 1, arbitrary: begin }, { weight: 2, arbitrary: answer }), { minLength: 4, maxLength: 12, size: 'max' }), async (steps) => {
      const issued: Issued[] = []
      for (const step of steps) {
        api.forget()
        if (step.does === 'begin') {
          const { requestState } = resultOf<{ requestState: string }>(await call(step.caller, step.widget))
          issued.push({ caller: step.caller, widget: step.widget, state: requestState, used: false })
          expect(api.seen).to.deep.equal([])
          continue
        }
        const asked = issued[step.which % issued.length]
        if (!asked) continue
        const caller = step.caller ?? asked.caller
        const widget = step.widget ?? asked.widget
        const requestState = step.changed === null ? asked.state : changedAt(asked.state, step.changed)
        await call(caller, widget, { inputResponses: { confirm: answers[step.says] }, requestState })
        const counts = caller === asked.caller && widget === asked.widget && step.changed === null && step.says === 'yes' && !asked.used
        expect(api.seen.map((one) => [one.url, headerOf(one, 'x-api-key')])).to.deep.equal(counts ? [[`/v1/widgets/${widget}`, caller]] : [])
        if (caller === asked.caller && widget === asked.widget && step.changed === null && (step.says === 'yes' || step.says === 'no')) asked.used = true
        if (counts) sent++
      }
    }), { numRuns: 60 })
    expect(sent).to.be.above(10)
  })
})

describe('a confirmation at two processes', () => {
  const api = new FixtureApi()
  const bridges: TestBridge[] = []
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  before(async () => {
    redis = await startRedisServer()
    const url = await api.start()
    const env = { MCP_SECRET: Buffer.alloc(32, 9).toString('base64'), REDIS_URL: redis.url }
    bridges.push(await bridgeFor(url, env), await bridgeFor(url, env))
    await Promise.all(bridges.map((bridge) => bridge.ready))
    api.on('DELETE /v1/widgets/w-1', (_, response) => reply(response, 200, { id: 'w-1' }))
  })
  after(async () => {
    await Promise.all(bridges.map((bridge) => bridge.stop()))
    await Promise.all([api.stop(), redis.stop()])
  })

  it('counts once, asked at either and answered at both', async () => {
    const call = (bridge: TestBridge | undefined, more: object = {}) =>
      modern(bridge?.url ?? '', 'tools/call', { name: 'delete_widget', arguments: { id: 'w-1' }, ...more }, { capabilities: { elicitation: {} } })
    for (const asked of bridges) {
      api.forget()
      const { requestState } = resultOf<{ requestState: string }>(await call(asked))
      const confirmed = { inputResponses: { confirm: answers.yes }, requestState }
      const texts = (await Promise.all(bridges.map((bridge) => call(bridge, confirmed)))).map(({ text }) => text)
      expect(texts.filter((text) => text.includes('was used before'))).to.have.length(1)
      expect(api.seen).to.have.length(1)
    }
  })
})

/** Another letter at one place. */
const changedAt = (text: string, place: number) => {
  const at = place % text.length
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}
