import { expect } from 'chai'
import type { RawAnswer } from '../../../support/bridge/bridge-client.ts'
import { defaultSessionLimits } from '../../../../bridge/shared/session-cache.ts'
import {
  startTestBridge,
  FixtureApi,
  parseRecordedBody,
  sendReply,
  type TestBridge,
} from '../../../support/bridge/bridge-fixture.ts'
import { createAskingDocument } from '../../../support/bridge/asking-document.ts'
import { sendModernRequest, parseError, parseResult } from '../../../support/bridge/modern-client.ts'

type Json = Record<string, unknown>
interface Needed {
  resultType: string
  inputRequests: Record<string, { method: string; params: { mode: string; message: string; requestedSchema: Json } }>
  requestState: string
}

const accept = (content: Json) => ({ action: 'accept', content })
const yes = { confirm: accept({ confirm: true }) }

const secret = { MCP_SECRET: Buffer.alloc(32, 5).toString('base64') }

for (const quick of [true, false])
  describe(`Revision 2026-07-28: inputRequests, answered ${quick ? 'without' : 'through'} the SDK`, () => {
    const api = new FixtureApi()
    let bridge: TestBridge
    before(async () => {
      api.document = createAskingDocument()
      bridge = await startTestBridge(await api.start(), secret, { ...defaultSessionLimits, bypassSdk: quick })
      await bridge.ready
      api.setHandler('DELETE /v1/widgets/w-1', (_, response) => sendReply(response, 200, { id: 'w-1' }))
      api.setHandler('DELETE /v1/widgets/w-2', (_, response) => sendReply(response, 200, { id: 'w-2' }))
      api.setHandler('POST /v1/guests', (_, response) => sendReply(response, 200, { invited: true }))
      api.setHandler('POST /v1/shops/s-1/close', (_, response) => sendReply(response, 200, { closed: true }))
      api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    })
    after(async () => {
      await bridge.stop()
      await api.stop()
    })
    beforeEach(() => api.clearRecords())

    const call = (name: string, args: Json, more: Json = {}, { url = bridge.url, key = 'k', id = 1 } = {}) =>
      sendModernRequest(
        url,
        'tools/call',
        { name, arguments: args, ...more },
        { capabilities: { elicitation: {} }, id, headers: { 'x-api-key': key } },
      )
    const needed = (answer: RawAnswer) => {
      const result = parseResult<Needed>(answer)
      expect(result.resultType).to.equal('input_required')
      return result
    }
    const remove = (more: Json = {}, options = {}) => call('delete_widget', { id: 'w-1' }, more, options)
    const stateOf = async (answer: Promise<RawAnswer>) => needed(await answer).requestState
    const invalid = (answer: RawAnswer) => {
      const refused = parseError(answer)
      expect(refused).to.deep.include({ code: -32602, data: { reason: 'invalid_request_state' } })
      expect(api.recordedRequests).to.deep.equal([])
      return refused
    }
    /** The clock of this process so much later, in seconds. */
    const later = async <T>(seconds: number, work: () => Promise<T>): Promise<T> => {
      const now = Date.now
      Date.now = () => now() + seconds * 1000
      try {
        return await work()
      } finally {
        Date.now = now
      }
    }

    it('end the request with a form and a state, as one JSON object that nobody may keep', async () => {
      const answer = await remove()
      expect(answer.status).to.equal(200)
      expect(answer.headers['content-type']).to.equal('application/json')
      const { resultType, inputRequests, requestState, ...rest } = needed(answer)
      expect(resultType).to.equal('input_required')
      expect(Object.keys(rest)).to.deep.equal(['_meta'])
      expect(requestState).to.match(/^v1\.[\w-]+\.[\w-]+$/)
      expect(Object.keys(inputRequests)).to.deep.equal(['confirm'])
      expect(inputRequests['confirm']?.method).to.equal('elicitation/create')
      expect(inputRequests['confirm']?.params).to.have.all.keys('mode', 'message', 'requestedSchema')
      expect(inputRequests['confirm']?.params.requestedSchema['type']).to.equal('object')
      expect(api.recordedRequests).to.deep.equal([])
    })

    it('go on with the answer and the state, under another id', async () => {
      const requestState = await stateOf(remove())
      const answer = await remove({ inputResponses: yes, requestState }, { id: 2 })
      expect(parseResult(answer)).to.include({ resultType: 'complete' })
      expect(api.recordedRequests).to.have.length(1)
    })

    it('count a confirmation once, whoever is faster', async () => {
      const requestState = await stateOf(remove())
      const answers = await Promise.all([1, 2, 3].map((id) => remove({ inputResponses: yes, requestState }, { id })))
      expect(api.recordedRequests).to.have.length(1)
      expect(answers.filter(({ text }) => text.includes('"complete"'))).to.have.length(1)
      api.clearRecords()
      expect(invalid(await remove({ inputResponses: yes, requestState })).message).to.contain('was used before')
    })

    it('count a confirmation only for the call that was shown: the same caller, method, tool and arguments', async () => {
      const requestState = await stateOf(remove())
      const more = { inputResponses: yes, requestState }
      invalid(await remove(more, { key: 'other' }))
      invalid(
        await sendModernRequest(
          bridge.url,
          'tools/call',
          { name: 'delete_widget', arguments: { id: 'w-1' }, ...more },
          { capabilities: { elicitation: {} } },
        ),
      )
      invalid(await call('delete_widget', { id: 'w-2' }, more))
      invalid(await call('delete_widget', { id: 'w-1', surplus: 1 }, more))
      invalid(await call('close_shop', { id: 'w-1' }, more))
      const prompt = { name: 'delete_widget', arguments: { id: 'w-1' }, ...more }
      invalid(
        await sendModernRequest(bridge.url, 'prompts/get', prompt, {
          capabilities: { elicitation: {} },
          headers: { 'x-api-key': 'k' },
        }),
      )
      expect(parseResult(await remove(more))).to.include({ resultType: 'complete' })
    })

    it('take the same arguments in another order as the same', async () => {
      const first = await stateOf(
        call('publish_widgets', { currentPage: 1, filters: { status: { eq: 'draft', ne: 'x' } } }),
      )
      const again = { filters: { status: { ne: 'x', eq: 'draft' } }, currentPage: 1 }
      expect(
        parseResult(await call('publish_widgets', again, { inputResponses: yes, requestState: first })),
      ).to.include({
        resultType: 'complete',
      })
      const second = await stateOf(call('publish_widgets', { filters: [], tags: ['a', 'b'] }))
      api.clearRecords()
      invalid(
        await call('publish_widgets', { filters: [], tags: ['b', 'a'] }, { inputResponses: yes, requestState: second }),
      )
    })

    it('end after five minutes', async () => {
      const requestState = await stateOf(remove())
      invalid(await later(302, () => remove({ inputResponses: yes, requestState })))
      expect(parseResult(await later(298, () => remove({ inputResponses: yes, requestState })))).to.include({
        resultType: 'complete',
      })
    })

    it('refuse a state that is changed, invented, of another bridge or no text', async () => {
      const requestState = await stateOf(remove())
      const [version, body = '', mac = ''] = requestState.split('.')
      const other = await startTestBridge(api.url)
      await other.ready
      const foreign = await stateOf(remove({}, { url: other.url }))
      await other.stop()
      const states = [
        `${requestState}-TAMPERED`,
        `${version}.${body}.${mac.slice(0, -2)}`,
        `${version}.${body.slice(0, -4)}.${mac}`,
        Buffer.from(body, 'base64url').toString(),
        foreign,
        '',
        'null',
        7,
        null,
        true,
        { a: 1 },
        [requestState],
      ]
      for (const state of states) invalid(await remove({ inputResponses: yes, requestState: state }))
      invalid(await call('update_widget', { id_path: 'w-1' }, { requestState: 'v1.e30.e30' }))
    })

    it('go on at another process with the same secret', async () => {
      const second: TestBridge = await startTestBridge(api.url, secret)
      await second.ready
      const requestState = await stateOf(remove())
      const answer = await remove({ inputResponses: yes, requestState }, { url: second.url })
      await second.stop()
      expect(parseResult(answer)).to.include({ resultType: 'complete' })
    })

    it('ask again where the answer is missing or is none, and overlook what was not asked', async () => {
      const requestState = await stateOf(remove())
      const responses = [
        {},
        { wrong: yes.confirm },
        { confirm: 12345 },
        { confirm: null },
        { confirm: [] },
        { confirm: { action: 'perhaps' } },
        { confirm: { content: { confirm: true } } },
        { confirm: { action: 'accept', content: [] } },
        { confirm: accept({}) },
        { confirm: accept({ confirm: 'yes' }) },
        { confirm: { action: 'accept' } },
        JSON.parse('{"__proto__": {"confirm": 1}}') as Json,
      ]
      for (const inputResponses of responses) {
        const again = needed(await remove({ inputResponses, requestState }))
        expect(Object.keys(again.inputRequests), JSON.stringify(inputResponses)).to.deep.equal(['confirm'])
        expect(again.requestState).not.to.equal(requestState)
      }
      expect(api.recordedRequests).to.deep.equal([])
      const surplus = { ...yes, another: accept({ a: 1 }), third: 7 }
      expect(parseResult(await remove({ inputResponses: surplus, requestState }))).to.include({
        resultType: 'complete',
      })
    })

    it('refuse responses that are no object', async () => {
      const requestState = await stateOf(remove())
      for (const inputResponses of [null, 12345, 'confirm', [], true])
        expect(parseError(await remove({ inputResponses, requestState }))).to.include({
          code: -32602,
          message: 'params.inputResponses must be an object',
        })
      expect(api.recordedRequests).to.deep.equal([])
    })

    it('sends nothing for a person who declines, and says so in a result', async () => {
      const requestState = await stateOf(remove())
      const result = parseResult(await remove({ inputResponses: { confirm: { action: 'decline' } }, requestState }))
      expect(result).to.include({ resultType: 'complete', isError: true })
      expect(result['_meta']).to.include({ elicitation: 'declined' })
      expect(api.recordedRequests).to.deep.equal([])
    })

    describe('operations with x-mcp-ask', () => {
      const invite = (more: Json = {}) => call('invite_guest', { note: 'n' }, more)
      const who = { who: accept({ email: 'ann@example.org' }) }
      const how = { how: accept({ days: 3 }) }

      it('go round by round, each with a state of its own that carries the answers before', async () => {
        const first = needed(await invite())
        const second = needed(await invite({ inputResponses: who, requestState: first.requestState }))
        expect(Object.keys(second.inputRequests)).to.deep.equal(['how'])
        expect(second.requestState).not.to.equal(first.requestState)
        const answer = await invite({ inputResponses: how, requestState: second.requestState })
        expect(parseResult(answer)).to.include({ resultType: 'complete' })
        expect(parseRecordedBody(api.lastRequest)).to.deep.equal({ note: 'n', email: 'ann@example.org', days: 3 })
      })

      it('take answers that come before they are asked for, as arguments do', async () => {
        const answer = await invite({ inputResponses: { ...who, ...how, unknown: accept({ x: 1 }) } })
        expect(parseResult(answer)).to.include({ resultType: 'complete' })
        expect(Object.keys(needed(await invite({ inputResponses: how })).inputRequests)).to.deep.equal(['who'])
      })

      it('send nothing of an answer but what was asked for', async () => {
        const surplus = {
          who: accept({ email: 'ann@example.org', days: 9, note: 'changed', loud: true }),
          how: accept({ days: 3, loud: null }),
        }
        await invite({ inputResponses: surplus })
        expect(api.lastRequest.url).to.equal('/v1/guests')
        expect(parseRecordedBody(api.lastRequest)).to.deep.equal({ note: 'n', email: 'ann@example.org', days: 3 })
      })

      it('ask again, with the reason, for an answer that does not fit', async () => {
        for (const content of [{ email: 'nobody' }, {}, { email: 'ann@example.org', role: 'x' }, { email: 7 }]) {
          const again = needed(await invite({ inputResponses: { who: accept(content) } }))
          expect(again.inputRequests['who']?.params.message, JSON.stringify(content)).to.match(
            /^Who is invited\? \(The last answer does not fit: (email|role) /,
          )
        }
      })

      it('confirm what was answered: the answer cannot be another one afterwards', async () => {
        const close = (more: Json = {}) => call('close_shop', { id: 's-1' }, more)
        const named = needed(await close({ inputResponses: { name: accept({ name: 'Corner' }) } }))
        expect(named.inputRequests['confirm']?.params.message).to.contain('name "Corner"')
        const inputResponses = { ...yes, name: accept({ name: 'Another' }) }
        await close({ inputResponses, requestState: named.requestState })
        expect(parseRecordedBody(api.lastRequest)).to.deep.equal({ name: 'Corner' })
      })

      it('confirm nothing with the state of another question', async () => {
        const close = (more: Json) => call('close_shop', { id: 's-1' }, more)
        const inputRequiredResult = needed(await close({}))
        expect(Object.keys(inputRequiredResult.inputRequests)).to.deep.equal(['name'])
        const both = { ...yes, name: accept({ name: 'Corner' }) }
        const again = needed(await close({ inputResponses: both, requestState: inputRequiredResult.requestState }))
        expect(Object.keys(again.inputRequests)).to.deep.equal(['confirm'])
        expect(api.recordedRequests).to.deep.equal([])
      })
    })

    it('leave no state and no answer in the log', async () => {
      const requestState = await stateOf(
        call('invite_guest', { note: 'n' }, { inputResponses: { who: accept({ email: 'canary@example.org' }) } }),
      )
      await call('invite_guest', { note: 'n' }, { inputResponses: { how: accept({ days: 3 }) }, requestState })
      await remove({ inputResponses: yes, requestState })
      const logged = JSON.stringify(bridge.logEntries)
      expect(logged).not.to.contain('canary@').and.not.to.contain(requestState.slice(0, 20))
    })
  })
