import { expect } from 'chai'
import { connectClient, catchError, type ElicitationHandler } from '../../support/bridge/bridge-client.ts'
import { useFixtureBridge, getRecordedHeader, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { connectModernClient, sendModernRequest, parseError, parseResult } from '../../support/bridge/modern-client.ts'
import { createPromptDocument } from '../../support/bridge/prompt-document.ts'

const said = (text: string) => ({ role: 'user', content: { type: 'text', text } })

const holding = (content: object) => ({ messages: [{ role: 'user', content }] })

/** What both reference clients have in common here. */
interface Prompting {
  listPrompts(): Promise<{ prompts: { name: string; description?: string | undefined; arguments?: unknown }[] }>
  getPrompt(params: { name: string; arguments?: Record<string, string> }): Promise<{ messages: unknown[] }>
  close(): Promise<void>
}

const eras: Record<string, (url: string, answering?: ElicitationHandler) => Promise<Prompting>> = {
  '2025-11-25': async (url, answering) =>
    (await connectClient(url, { 'x-api-key': 'k' }, answering ? { answerQuestion: answering } : {})) as Prompting,
  '2026-07-28': async (url, answering) => {
    const capabilities = answering ? { elicitation: { form: {} } } : {}
    const client = await connectModernClient(url, { 'x-api-key': 'k' }, { capabilities })
    if (answering) client.setRequestHandler('elicitation/create', ({ params }) => answering(params as never) as never)
    return client as unknown as Prompting
  },
}

describe('prompts/get', () => {
  const { api, bridge } = useFixtureBridge()
  before(async () => {
    api.document = createPromptDocument()
    api.etag = '"prompts"'
    await bridge.refresh()
  })
  beforeEach(() => {
    api.clearRecords()
    api.setHandler('GET /v1/widgets/w%201/praise', (_, response) =>
      sendReply(response, 200, { description: 'Praise', messages: [said('How round it is!')] }),
    )
    api.setHandler('GET /v1/letter', ({ url }, response) => sendReply(response, 200, { messages: [said(url)] }))
  })
  afterEach(() => expect(api.complaints).to.deep.equal([]))

  for (const [revision, open] of Object.entries(eras)) {
    describe(`in revision ${revision}`, () => {
      let client: Prompting
      before(async () => (client = await open(bridge.url)))
      after(() => client.close())

      it('is listed among ours by name, with its parameters as arguments but for what a person is asked', async () => {
        const { prompts } = await client.listPrompts()
        const names = ['praise_widget', 'prepare_demo_environment', 'sum_up', 'write_letter']
        expect(prompts.map(({ name }) => name)).to.deep.equal(names)
        expect(prompts[0]).to.deep.include({
          title: 'Write praise_widget',
          description: 'Write praise_widget. For an assistant.',
          arguments: [
            { name: 'id', description: 'Id of the widget.', required: true },
            { name: 'tone', description: 'How it sounds.', required: true },
            { name: 'words', description: 'words', required: false },
          ],
        })
        expect(prompts[3]?.arguments).to.deep.equal([{ name: 'to', description: 'to', required: false }])
      })

      it('is the messages of the API, asked for with the caller’s credentials and arguments', async () => {
        const args = { id: 'w 1', tone: 'plain', words: '20' }
        const result = await client.getPrompt({ name: 'praise_widget', arguments: args })
        expect(result).to.deep.include({ description: 'Praise', messages: [said('How round it is!')] })
        expect(api.recordedRequests).to.have.length(1)
        expect(api.lastRequest).to.include({ method: 'GET', url: '/v1/widgets/w%201/praise?tone=plain&words=20' })
        expect(getRecordedHeader(api.lastRequest, 'x-api-key')).to.equal('k')
      })

      for (const [what, args, words, argument] of [
        ['is missing', { id: 'w' }, 'tone is missing', 'tone'],
        ['there is not', { id: 'w', tone: 'plain', size: '1' }, 'size is not an argument of praise_widget', 'size'],
        ['is none of its values', { id: 'w', tone: 'loud' }, 'tone must be one of', 'tone'],
        ['breaks its rule', { id: 'w', tone: 'plain', words: 'few' }, 'words must match pattern', 'words'],
        ['leaves its place', { id: '..', tone: 'plain' }, 'id cannot be an id', 'id'],
      ] as const)
        it(`refuses an argument that ${what}, by its name, and sends nothing`, async () => {
          const promptPromise = client.getPrompt({ name: 'praise_widget', arguments: { ...args } })
          const { code, message, data } = await catchError(promptPromise)
          expect(code).to.equal(-32602)
          expect(message).to.contain(words)
          expect(data).to.deep.equal({ argument })
          expect(api.recordedRequests).to.deep.equal([])
        })

      it('tells what the API refused', async () => {
        const get = (status: number) => {
          api.setHandler('GET /v1/widgets/w%201/praise', (_, response) =>
            sendProblem(response, status, { code: 'NO', detail: 'Not now.' }),
          )
          return catchError(client.getPrompt({ name: 'praise_widget', arguments: { id: 'w 1', tone: 'plain' } }))
        }
        for (const status of [404, 422, 400]) expect((await get(status)).code).to.equal(-32602)
        const own = revision === '2025-11-25' ? -32010 : 403
        expect(await get(403))
          .to.deep.include({ code: own })
          .and.to.have.nested.property('data.detail', 'Not now.')
        expect((await get(500)).code).to.equal(-32603)
      })

      for (const [what, body] of [
        ['is no JSON', 'hello'],
        ['has no messages', { description: 'x' }],
        ['has a message without role', { messages: [{ content: said('x').content }] }],
        ['has a message of a role that there is not', { messages: [{ ...said('x'), role: 'system' }] }],
        ['has content of a type that there is not', holding({ type: 'film', text: 'x' })],
        ['has a picture that is not base64', holding({ type: 'image', mimeType: 'a/b', data: '%' })],
        ['is larger than 8 MiB', { messages: [said('x'.repeat(8 * 1024 * 1024))] }],
        ['has a description that is no text', { description: 1, messages: [] }],
      ] as const)
        it(`is refused where the answer ${what}`, async () => {
          api.setHandler('GET /v1/letter', (_, response) => sendReply(response, 200, body))
          const asking = await open(bridge.url, () => ({ action: 'accept', content: { urgent: true } }))
          const { code, message } = await catchError(asking.getPrompt({ name: 'write_letter' }))
          await asking.close()
          expect(code).to.equal(-32603)
          expect(message).to.contain('something else than a prompt')
        })

      it('asks the person what only the person can say', async () => {
        const questionMessages: unknown[] = []
        const asking = await open(bridge.url, (form) => {
          questionMessages.push(form.message)
          return { action: 'accept', content: { urgent: true } }
        })
        const { messages } = await asking.getPrompt({ name: 'write_letter', arguments: { to: 'Ada' } })
        await asking.close()
        expect(questionMessages).to.deep.equal(['Is it urgent?'])
        expect(messages).to.deep.equal([said('/v1/letter?to=Ada&urgent=true')])
      })

      it('is not written when the person declines or nobody can be asked, or the client lacks something', async () => {
        const asking = await open(bridge.url, () => ({ action: 'decline' }))
        const declined = await catchError(asking.getPrompt({ name: 'write_letter' }))
        await asking.close()
        const nobody = await catchError(client.getPrompt({ name: 'write_letter' }))
        const lacking = await catchError(client.getPrompt({ name: 'sum_up' }))
        const [refused, missing] = revision === '2025-11-25' ? [-32010, -32010] : [403, -32021]
        expect(declined.code).to.equal(refused)
        expect(declined.message).to.contain('The user declined. Nothing was sent.')
        expect(nobody.code).to.equal(missing)
        expect(nobody.data).to.deep.equal({ requiredCapabilities: { elicitation: { form: {} } } })
        expect(lacking.code).to.equal(missing)
        expect(lacking.data).to.deep.equal({ requiredCapabilities: { sampling: {} } })
        expect(api.recordedRequests).to.deep.equal([])
      })
    })
  }

  it('may hold pictures, sounds, resources and links to them', async () => {
    const contents = [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAA=', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'x' } },
      { type: 'resource', resource: { uri: 'a:b', blob: 'AA==' } },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
    ]
    const messages = contents.map((content) => ({ role: 'assistant', content }))
    api.setHandler('GET /v1/widgets/w%201/praise', (_, response) => sendReply(response, 200, { messages }))
    const params = { name: 'praise_widget', arguments: { id: 'w 1', tone: 'plain' } }
    expect(parseResult(await sendModernRequest(bridge.url, 'prompts/get', params))['messages']).to.deep.equal(messages)
  })

  it('has text in place of links for a client of revision 2025-03-26, which knows none', async () => {
    const link = { type: 'resource_link', uri: 'a:b', name: 'b', description: 'The round one' }
    api.setHandler('GET /v1/widgets/w%201/praise', (_, response) => sendReply(response, 200, holding(link)))
    const client = await connectClient(bridge.url, {}, { revision: '2025-03-26' })
    const { messages } = await client.getPrompt({ name: 'praise_widget', arguments: { id: 'w 1', tone: 'plain' } })
    await client.close()
    expect(messages).to.deep.equal([said('Resource a:b: The round one')])
  })

  it('has the values of an argument completed where it has only some', async () => {
    const ref = { type: 'ref/prompt', name: 'praise_widget' }
    const complete = async (name: string, value: string) =>
      await sendModernRequest(bridge.url, 'completion/complete', { ref, argument: { name, value } })
    const values = async (name: string, value: string) =>
      parseResult<{ completion: unknown }>(await complete(name, value)).completion
    expect(await values('tone', 'PL')).to.deep.equal({ values: ['plain', 'playful'], total: 2, hasMore: false })
    expect(await values('tone', '')).to.deep.include({ total: 3 })
    expect(await values('words', '')).to.deep.equal({ values: [], total: 0, hasMore: false })
    expect(parseError(await complete('colour', ''))).to.include({ code: -32602 })
  })
})

describe('prompts/list and a document with prompts', () => {
  const size = { name: 'size', in: 'query', schema: { type: 'integer' } }
  const { api, bridge } = useFixtureBridge()
  const refusedWith = async (change: (paths: Record<string, Record<string, Record<string, unknown>>>) => void) => {
    const document = createPromptDocument()
    change(document.paths as never)
    api.document = document
    api.etag = `"${Math.random()}"`
    const before = bridge.logEntries.length
    await bridge.refresh()
    return bridge.logEntries
      .slice(before)
      .map(({ msg }) => String(msg))
      .join('\n')
  }

  it('is taken', async () => {
    expect(await refusedWith(() => undefined)).to.contain('document loaded')
  })

  for (const [what, words, change] of [
    ['an argument is not text', 'the argument size of a prompt is not text', { parameters: [size] }],
    ['it has a body', 'a prompt takes no body', { requestBody: { content: { 'application/json': {} } } }],
  ] as const)
    it(`is taken without the prompt where ${what}`, async () => {
      const line = await refusedWith((paths) => Object.assign(paths['/v1/summary']?.['get'] ?? {}, change))
      expect(line).to.contain('GET /v1/summary is left out').and.contain(words)
      const client = await connectModernClient(bridge.url)
      const names = (await client.listPrompts()).prompts.map(({ name }) => name)
      expect(names).to.include('praise_widget').and.not.include('sum_up')
      await client.close()
    })

  for (const [name, words] of [
    ['prepare_demo_environment', 'has the name of a prompt of the bridge'],
    ['create_widget', 'create_widget'],
  ] as const)
    it(`is never taken with a second ${name}`, async () => {
      const line = await refusedWith((paths) =>
        Object.assign(paths['/v1/summary']?.['get'] ?? {}, { 'x-mcp-name': name }),
      )
      expect(line).to.contain(words)
    })

  it('is refused where a prompt is no GET', async () => {
    const line = await refusedWith((paths) => {
      const { get, ...item } = paths['/v1/summary'] ?? {}
      paths['/v1/summary'] = { ...item, put: get ?? {} }
    })
    expect(line).to.contain('only a GET can be a prompt')
  })
})
