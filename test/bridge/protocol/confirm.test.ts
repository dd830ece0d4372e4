import { expect } from 'chai'
import { connectClient, getResultText } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { connectAskingClient, askingRevisions, type PersonResponder } from '../../support/bridge/asking-clients.ts'
import { sendModernRequest, parseError, parseResult } from '../../support/bridge/modern-client.ts'

const yes: PersonResponder = () => ({ action: 'accept', content: { confirm: true } })

describe('tools/call of an operation with x-mcp-confirm', () => {
  const { api, bridge } = useFixtureBridge()
  before(() => {
    api.setHandler('DELETE /v1/widgets/w-1', (_, response) => sendReply(response, 200, { id: 'w-1', name: 'gone' }))
  })
  beforeEach(() => api.clearRecords())

  const remove = async (
    revision: Parameters<typeof connectAskingClient>[1],
    person: PersonResponder | null,
    id = 'w-1',
  ) => {
    const client = await connectAskingClient(bridge.url, revision, person)
    try {
      return { result: await client.call('delete_widget', { id }), shown: client.shownQuestions }
    } finally {
      await client.close()
    }
  }

  for (const revision of askingRevisions) {
    describe(`in revision ${revision}`, () => {
      it('is called when the person wants it, who was told what it does', async () => {
        const { result, shown } = await remove(revision, yes)
        expect(getResultText(result)).to.contain('gone')
        expect(result.isError ?? false).to.equal(false)
        expect(api.recordedRequests.map(({ method, url }) => `${method} ${url}`)).to.deep.equal([
          'DELETE /v1/widgets/w-1',
        ])
        expect(shown).to.have.length(1)
        expect(shown[0]?.message).to.equal('Do delete_widget: id "w-1". This cannot be undone.')
        expect(shown[0]?.requestedSchema.required).to.deep.equal(['confirm'])
        expect(shown[0]?.requestedSchema.properties['confirm']).to.include({ type: 'boolean', default: false })
      })

      it('is not sent when the person declines, says no or gives no answer, which the result says', async () => {
        const persons: [PersonResponder, string, string][] = [
          [() => ({ action: 'decline' }), 'declined', 'The user declined. Nothing was sent.'],
          [
            () => ({ action: 'accept', content: { confirm: false } }),
            'declined',
            'The user declined. Nothing was sent.',
          ],
          [() => ({ action: 'cancel' }), 'cancelled', 'gave no answer. Nothing was sent.'],
        ]
        for (const [person, elicitation, words] of persons) {
          const { result } = await remove(revision, person)
          expect(result).to.deep.include({ isError: true })
          expect(result._meta).to.include({ elicitation })
          expect(getResultText(result)).to.contain(words)
        }
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('is called at once for a client that cannot ask, which was told in the list', async () => {
        const { result, shown } = await remove(revision, null)
        expect(getResultText(result)).to.contain('gone')
        expect(shown).to.deep.equal([])
        expect(api.recordedRequests).to.have.length(1)
      })

      it('asks nobody about arguments that cannot be sent', async () => {
        for (const id of ['..', '']) {
          const { result, shown } = await remove(revision, yes, id)
          expect(result.isError).to.equal(true)
          expect(getResultText(result)).to.contain('Nothing was sent')
          expect(shown).to.deep.equal([])
        }
        expect(api.recordedRequests).to.deep.equal([])
      })
    })
  }

  it('is called at once in revision 2025-03-26, which cannot ask', async () => {
    const { result, shown } = await remove('2025-03-26', yes)
    expect(getResultText(result)).to.contain('gone')
    expect(shown).to.deep.equal([])
    expect(api.recordedRequests).to.have.length(1)
  })

  it('is called at once for a client that asks by addresses only', async () => {
    const answer = await sendModernRequest(
      bridge.url,
      'tools/call',
      { name: 'delete_widget', arguments: { id: 'w-1' } },
      { capabilities: { elicitation: { url: {} } } },
    )
    expect(parseResult(answer)).to.include({ resultType: 'complete' })
    expect(api.recordedRequests).to.have.length(1)
  })

  it('is not sent where a client that can ask fails to', async () => {
    const { result } = await remove('2025-11-25', () => Promise.reject(new Error('no window')))
    expect(result).to.include({ isError: true })
    expect(getResultText(result)).to.equal('The client could not ask the user. Nothing was sent.')
    const newest = await remove('2026-07-28', () => Promise.reject(new Error('no window'))).catch(
      (cause: unknown) => cause,
    )
    expect(newest).to.be.instanceOf(Error)
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('is not sent for answers that are neither yes nor no; the person is asked again, told why, some times', async () => {
    const { result, shown } = await remove('2025-11-25', () => ({ action: 'accept', content: { confirm: 'true' } }))
    expect(getResultText(result)).to.equal('The client could not ask the user. Nothing was sent.')
    expect(shown).to.have.length(3)
    expect(shown[1]?.message).to.contain('The last answer does not fit: confirm must be true or false')
    const second = await remove('2025-11-25', (_, time) => ({
      action: 'accept',
      content: time === 1 ? {} : { confirm: true },
    }))
    expect(getResultText(second.result)).to.contain('gone')
    expect(api.recordedRequests).to.have.length(1)
  })

  it('is not sent where twenty questions wait in one session already', async () => {
    let answerAll = () => {}
    const open = new Promise<void>((resolve) => {
      answerAll = resolve
    })
    const client = await connectAskingClient(bridge.url, '2025-11-25', async () => {
      await open
      return { action: 'decline' }
    })
    const calls = Array.from({ length: 21 }, () => client.call('delete_widget', { id: 'w-1' }))
    expect(getResultText(await Promise.race(calls))).to.equal('The client could not ask the user. Nothing was sent.')
    answerAll()
    const texts = (await Promise.all(calls)).map(getResultText)
    expect(texts.filter((text) => text.startsWith('The user declined'))).to.have.length(20)
    await client.close()
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('tells its progress after it was confirmed, in each era', async () => {
    api.setHandler('POST /v1/widgets/publish', (_, response) => sendReply(response, 202, { jobId: 'j1' }))
    api.setHandler('GET /v1/jobs/j1/sse', (_, response) => {
      const state = { id: 'j1', type: 'publish', total: 2, failed: 0, result: null, errors: [] }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const [status, completed] of [
        ['pending', 1],
        ['completed', 2],
      ] as const)
        response.write(`event: job\ndata: ${JSON.stringify({ ...state, status, completed })}\n\n`)
      response.end()
    })
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const progressValues: number[] = []
      const client = await connectAskingClient(bridge.url, revision, yes)
      const result = await client.call('publish_widgets', { filters: [] }, ({ progress }) =>
        progressValues.push(progress),
      )
      await client.close()
      expect(getResultText(result), revision).to.contain('The publish job j1 is completed')
      expect(progressValues.at(-1), revision).to.equal(2)
    }
    expect(api.recordedRequests.filter(({ method }) => method === 'POST')).to.have.length(2)
  })

  it('says in every list that it cannot be undone', async () => {
    const client = await connectClient(bridge.url)
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'delete_widget')?.description).to.contain('Irreversible')
    expect(tools.find(({ name }) => name === 'update_widget')?.description).not.to.contain('Irreversible')
    await client.close()
  })

  it('counts no yes that was given before anybody was asked', async () => {
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } }
    const params = { name: 'delete_widget', arguments: { id: 'w-1' }, inputResponses }
    const answer = await sendModernRequest(bridge.url, 'tools/call', params, { capabilities: { elicitation: {} } })
    expect(parseResult(answer)).to.include({ resultType: 'input_required' })
    const invented = await sendModernRequest(
      bridge.url,
      'tools/call',
      { ...params, requestState: 'v1.e30.e30' },
      { capabilities: { elicitation: {} } },
    )
    expect(parseError(invented)).to.include({ code: -32602 })
    expect(api.recordedRequests).to.deep.equal([])
  })
})
