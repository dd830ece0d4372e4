import { expect } from 'chai'
import { getResultText } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, parseRecordedBody, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'
import {
  connectAskingClient,
  askingRevisions,
  type AskingClient,
  type PersonResponder,
} from '../../support/bridge/asking-clients.ts'
import { createAskingDocument } from '../../support/bridge/asking-document.ts'
import { sendModernRequest, parseError, parseResult } from '../../support/bridge/modern-client.ts'

const accept = (content: Record<string, unknown>) => ({
  action: 'accept' as const,
  content: content as Record<string, string>,
})
const whole: PersonResponder = (_, time) =>
  accept(time === 1 ? { email: 'ann@example.org', role: 'w' } : { days: 3, loud: true })

describe('tools/call of an operation with x-mcp-ask', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = createAskingDocument()
  before(() => {
    api.setHandler('POST /v1/guests', (_, response) => sendReply(response, 200, { invited: true }))
    api.setHandler('POST /v1/areas', (_, response) => sendReply(response, 200, { chosen: true }))
    api.setHandler('POST /v1/draft', (_, response) => sendReply(response, 200, { drafted: true }))
    api.setHandler('POST /v1/shops/s-1/close', (_, response) => sendReply(response, 200, { closed: true }))
  })
  beforeEach(() => api.clearRecords())

  const using = async <T>(
    revision: Parameters<typeof connectAskingClient>[1],
    person: PersonResponder | null,
    work: (client: AskingClient) => Promise<T>,
  ) => {
    const client = await connectAskingClient(bridge.url, revision, person)
    try {
      return await work(client)
    } finally {
      await client.close()
    }
  }

  for (const revision of askingRevisions) {
    describe(`in revision ${revision}`, () => {
      it('asks question after question, and sends the answers with the arguments', async () => {
        await using(revision, whole, async (client) => {
          const result = await client.call('invite_guest', { note: 'n' })
          expect(result.structuredContent).to.deep.equal({ invited: true })
          expect(client.shownQuestions.map(({ message }) => message)).to.deep.equal([
            'Who is invited?',
            'For how long?',
          ])
        })
        expect(api.recordedRequests).to.have.length(1)
        expect(api.lastRequest.url).to.equal('/v1/guests?loud=true')
        expect(parseRecordedBody(api.lastRequest)).to.deep.equal({
          note: 'n',
          email: 'ann@example.org',
          role: 'w',
          days: 3,
        })
      })

      it('shows forms in the words of the revision, with what is needed and the defaults', async () => {
        const { shownQuestions } = await using(revision, whole, async (client) => {
          await client.call('invite_guest', { note: 'n' })
          return client
        })
        const [who, how] = shownQuestions
        expect(who?.mode).to.equal(revision === '2025-06-18' ? undefined : 'form')
        expect(who?.requestedSchema.required).to.deep.equal(['email'])
        expect(who?.requestedSchema.properties['email']).to.deep.equal({
          type: 'string',
          title: 'E-mail',
          format: 'email',
        })
        expect(who?.requestedSchema.properties['role']).to.deep.equal(
          revision === '2025-06-18'
            ? { type: 'string', enum: ['r', 'w'], enumNames: ['Reads', 'Writes'] }
            : {
                type: 'string',
                oneOf: [
                  { const: 'r', title: 'Reads' },
                  { const: 'w', title: 'Writes' },
                ],
              },
        )
        expect(how?.requestedSchema.properties).to.deep.equal({
          days: { type: 'integer', minimum: 1, maximum: 30, default: 7 },
          loud: { type: 'boolean', default: false },
        })
      })

      it('sends nothing when the person declines the first or the second question', async () => {
        for (const at of [1, 2]) {
          const person: PersonResponder = (shown, time) => (time === at ? { action: 'decline' } : whole(shown, time))
          const result = await using(revision, person, (client) => client.call('invite_guest', { note: 'n' }))
          expect(result.isError).to.equal(true)
          expect(getResultText(result)).to.contain('The user declined. Nothing was sent.')
        }
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('asks again for an answer that does not fit, and says why', async () => {
        const person: PersonResponder = (shown, time) =>
          time === 1 ? accept({ email: 'nobody', role: 'r' }) : whole(shown, time - 1)
        await using(revision, person, async (client) => {
          const { structuredContent } = await client.call('invite_guest', { note: 'n' })
          expect(structuredContent).to.deep.equal({ invited: true })
          expect(client.shownQuestions).to.have.length(3)
          expect(client.shownQuestions[1]?.message).to.equal(
            'Who is invited? (The last answer does not fit: email must match format "email".)',
          )
        })
      })

      it('asks nobody about arguments that are wrong', async () => {
        await using(revision, whole, async (client) => {
          const wrong = await client.call('invite_guest', { note: 7 })
          expect(getResultText(wrong)).to.contain('note').and.to.contain('Nothing was sent')
          const toolResult = await client.call('invite_guest', { note: 'n', email: 'model@example.org' })
          expect(getResultText(toolResult)).to.contain('email: is not known here')
          expect(client.shownQuestions).to.deep.equal([])
        })
        expect(api.recordedRequests).to.deep.equal([])
      })

      it('asks for what is missing first and for consent last, which names what was answered', async () => {
        const person: PersonResponder = (_, time) => accept(time === 1 ? { name: 'Corner' } : { confirm: true })
        await using(revision, person, async (client) => {
          await client.call('close_shop', { id: 's-1' })
          expect(client.shownQuestions.map(({ message }) => message)).to.deep.equal([
            'What is its name?',
            'Close a shop: id "s-1", name "Corner". This cannot be undone.',
          ])
        })
        expect(parseRecordedBody(api.lastRequest)).to.deep.equal({ name: 'Corner' })
      })

      it('hands on what the API says of the answers', async () => {
        api.setHandler('POST /v1/guests', (_, response) =>
          sendProblem(response, 409, { code: 'GUEST_EXISTS', detail: 'Ann is here.' }),
        )
        const result = await using(revision, whole, (client) => client.call('invite_guest', { note: 'n' }))
        expect(getResultText(result)).to.contain('409 GUEST_EXISTS: Ann is here.')
        api.setHandler('POST /v1/guests', (_, response) => sendReply(response, 200, { invited: true }))
      })

      it('shows several choices where the revision has words for them', async () => {
        const person: PersonResponder = () => accept({ areas: ['south', 'north'] } as never)
        const { result, shown } = await using(revision, person, async (client) => ({
          result: await client.call('choose_areas'),
          shown: client.shownQuestions,
        }))
        if (revision === '2025-06-18') {
          expect(getResultText(result)).to.equal('The client could not ask the user. Nothing was sent.')
          expect(api.recordedRequests).to.deep.equal([])
        } else {
          expect(shown[0]?.requestedSchema.properties['areas']).to.deep.equal({
            type: 'array',
            minItems: 1,
            items: { type: 'string', enum: ['north', 'south'] },
          })
          expect(parseRecordedBody(api.lastRequest)).to.deep.equal({ areas: ['south', 'north'] })
        }
      })
    })
  }

  it('is refused for clients that cannot ask, in the words of the revision', async () => {
    for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25'] as const) {
      const result = await using(revision, null, (client) => client.call('invite_guest', { note: 'n' }))
      expect(result.isError, revision).to.equal(true)
      expect(getResultText(result)).to.equal('This needs a client that declares elicitation. Nothing was sent.')
    }
    for (const capabilities of [{}, { sampling: {} }, { elicitation: { url: {} } }]) {
      const refused = parseError(
        await sendModernRequest(
          bridge.url,
          'tools/call',
          { name: 'invite_guest', arguments: { note: 'n' } },
          { capabilities },
        ),
      )
      expect(refused).to.deep.include({
        status: 400,
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      })
    }
    expect(api.recordedRequests).to.deep.equal([])
  })

  it('is not shown with the members that people are asked for', async () => {
    const answer = await sendModernRequest(bridge.url, 'tools/list')
    const { tools } = parseResult<{ tools: { name: string; inputSchema: Record<string, unknown> }[] }>(answer)
    const entry = tools.find(({ name }) => name === 'invite_guest')
    expect(entry?.inputSchema['properties']).to.have.all.keys('note', 'again')
    expect(entry?.inputSchema['required']).to.deep.equal(['note'])
  })

  it('runs only for clients that declare what it requires', async () => {
    const call = { name: 'draft_text', arguments: {} }
    const refused = parseError(
      await sendModernRequest(bridge.url, 'tools/call', call, { capabilities: { elicitation: {} } }),
    )
    expect(refused).to.deep.include({
      status: 400,
      id: 1,
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    })
    const result = await using('2025-11-25', whole, (client) => client.call('draft_text'))
    expect(getResultText(result)).to.equal('This needs a client that declares sampling. Nothing was sent.')
    expect(api.recordedRequests).to.deep.equal([])
    const taken = await sendModernRequest(bridge.url, 'tools/call', call, { capabilities: { sampling: {} } })
    expect(parseResult(taken)).to.deep.include({ structuredContent: { drafted: true } })
  })
})
