import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { expect } from 'chai'
import { startTestBridge, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { CrossingApi } from './interleaved-calls.api.ts'
import { connectCallers, type Caller, type Message } from './interleaved-calls.callers.ts'

const people = 50
/** Open at once of each caller. */
const lanes = 4

/** What is called, and what is wrong with what came back; null where nothing is. */
interface Play {
  params: Record<string, unknown>
  answer?: (question: string) => object
  findFault: (came: Message[]) => string | null
}

const widget = '0198c0de-0000-7000-8000-000000000001'
const last = (came: Message[]) => came.at(-1)?.result ?? {}
const differs = (found: unknown, expected: unknown) =>
  JSON.stringify(found) === JSON.stringify(expected)
    ? null
    : `${JSON.stringify(found)} in place of ${JSON.stringify(expected)}`

function plain({ key, session }: Caller, id: number): Play {
  const value = `${key} ${id}`
  return {
    params: { name: 'echo', arguments: { value, delay: (id * 3) % 5 } },
    findFault: (came) => differs([came.length, last(came)['structuredContent']], [1, { value, key, session }]),
  }
}

/** The progress of a job of its own, whose events only its own key may read. */
function withProgress({ key }: Caller, id: number): Play {
  const serial = `${key}-${id}`
  return {
    params: { name: 'mint_widget', arguments: { id: widget, items: [{ serial }] }, _meta: { progressToken: serial } },
    findFault: (came) => {
      const progressParams = came
        .filter(({ method }) => method === 'notifications/progress')
        .map(({ params }) => params)
      const steps = progressParams.map((params) => [
        params?.['progressToken'],
        params?.['progress'],
        String(params?.['message']).split(' ')[0],
      ])
      const wrong = steps.filter(([token, , type]) => token !== serial || type !== key)
      if (wrong.length > 0 || steps.at(-1)?.[1] !== 3)
        return `${JSON.stringify(steps)} in place of the progress of ${serial}`
      const counts = { total: 3, completed: 3, failed: 0, errors: [] }
      const job = { id: serial, type: key, status: 'completed', ...counts }
      return differs(last(came)['structuredContent'], { jobId: serial, ...job })
    },
  }
}

/** A deletion that its person is asked about: of itself, and nothing else. */
function withQuestion({ key }: Caller, id: number, deleted: ReadonlyMap<string, string>): Play {
  const name = `${key}-${id}`
  const agrees = Math.floor(id / 10) % 2 === 0
  let shownQuestion = ''
  return {
    params: { name: 'delete_widget', arguments: { id: name } },
    answer: (question) => {
      shownQuestion = question
      return agrees ? { action: 'accept', content: { confirm: true } } : { action: 'decline' }
    },
    findFault: (came) => {
      if (!shownQuestion.includes(`"${name}"`)) return `${JSON.stringify(shownQuestion)} was asked of ${name}`
      const { structuredContent, isError } = last(came)
      return agrees
        ? differs([structuredContent, deleted.get(name)], [{ id: name, name: key }, key])
        : differs([isError, structuredContent, deleted.get(name)], [true, undefined, undefined])
    },
  }
}

/** Declares the test of so many calls. */
export function testCrossing(calls: number): void {
  describe(`Bridge: ${calls} interleaved calls of ${people} callers in both eras`, () => {
    const api = new CrossingApi()
    const agent = new Agent({ keepAlive: true, maxSockets: people * lanes * 2 })
    let bridge: TestBridge
    before(async () => {
      bridge = await startTestBridge(await api.start(), {
        LOG_LEVEL: 'warn',
        MCP_SECRET: randomBytes(32).toString('base64'),
      })
      await bridge.ready
    })
    after(async () => {
      agent.destroy()
      await bridge.stop()
      await api.stop()
    })

    it('get their own answers, each of them', async function () {
      this.timeout(Math.max(60_000, calls * 20))
      const wrong: string[] = []
      const done = { plain: 0, withProgress: 0, withQuestion: 0 }
      const turns = calls / people / lanes
      const lane = async (caller: Caller, index: number) => {
        for (let turn = 0; turn < turns; turn++) {
          // Every caller uses the same ids as all others, so that an id alone never leads to an answer.
          const id = index * turns + turn
          const kind = turn % 10 === 3 ? 'withProgress' : turn % 10 === 7 ? 'withQuestion' : 'plain'
          const play = { plain, withProgress, withQuestion }[kind](caller, id, api.deleted)
          const came = await caller.call(id, play.params, play.answer ?? (() => ({ action: 'cancel' })))
          const found = came.at(-1)?.id === id ? play.findFault(came) : `${JSON.stringify(came)} to ${id}`
          if (found !== null) wrong.push(`${caller.key}: ${found}`)
          done[kind]++
        }
      }
      const all = await connectCallers(bridge.url, people, agent)
      await Promise.all(all.flatMap((caller) => Array.from({ length: lanes }, (_, index) => lane(caller, index))))
      expect(wrong.slice(0, 3)).to.deep.equal([])
      expect(done).to.deep.equal({ plain: calls * 0.8, withProgress: calls * 0.1, withQuestion: calls * 0.1 })
      expect(api.deleted.size).to.equal(calls * 0.05)
      expect(bridge.logEntries).to.deep.equal([])
    })

    it('shows the API exactly these headers', () => {
      const always = ['accept', 'connection', 'host', 'traceparent', 'x-forwarded-for']
      const ofChanges = [...always, 'idempotency-key']
      const kinds = { POST: [...ofChanges, 'content-length', 'content-type'], GET: always, DELETE: ofChanges }
      const lists = Object.entries(kinds).flatMap(([method, common]) =>
        ['authorization', 'x-api-key', 'cookie'].flatMap((credential) =>
          [[], ['mcp-session-id']].map((session) => `${method} ${[...common, credential, ...session].sort().join()}`),
        ),
      )
      expect([...api.headerLists].sort()).to.deep.equal(lists.sort())
    })
  })
}
