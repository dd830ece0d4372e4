import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { showInvisible } from '../../../tools/arguments/show-invisible.ts'
import {
  callMcpTool,
  catchError,
  connectClient,
  readResourceText,
  getResultText,
} from '../../support/bridge/bridge-client.ts'
import { connectAskingClient } from '../../support/bridge/asking-clients.ts'
import { parseError, parseResult, sendModernRequest } from '../../support/bridge/modern-client.ts'
import { createPromptDocument } from '../../support/bridge/prompt-document.ts'
import { useFixtureBridge, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'

/** Turned around, joined with nothing, tagged (as hidden orders are), and a control that clears a terminal. */
const hidden = 'gift\u202Etxt.exe\u200B\u{E0041}\u{E007F}\u009B2J\u00AD\uFEFF'

describe('Bridge: invisible characters in texts', () => {
  const { api, bridge } = useFixtureBridge()
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url)
  })
  after(() => client.close())

  it('is written out in JSON for a reader, and is the same value for a program', async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { name: hidden, plain: 'é 日本 👩‍👧' }))
    const result = await callMcpTool(client, 'echo', { value: 'x' })
    const text = getResultText(result)
    expect(text).to.contain('gift\\u202etxt.exe\\u200b\\udb40\\udc41\\udb40\\udc7f\\u009b2J\\u00ad\\ufeff')
    expect(text).to.contain('é 日本')
    expect(JSON.parse(text)).to.deep.equal(result.structuredContent)
    expect(result.structuredContent).to.have.property('name', hidden)
  })

  it('is written out in an answer of ASCII, where only DEL can stand as it is', async () => {
    api.setHandler('POST /v1/echo', (_, response) => sendReply(response, 200, { name: 'a\u007fb\n\u0001' }))
    const result = await callMcpTool(client, 'echo', { value: 'x' })
    expect(getResultText(result)).to.equal('{"name":"a\\u007fb\\n\\u0001"}')
    expect(result.structuredContent).to.deep.equal({ name: 'a\u007fb\n\u0001' })
  })

  it('is written out behind the first byte order mark, however many there are', () => {
    expect(showInvisible('\uFEFF'.repeat(20_001), false)).to.equal(`\uFEFF${'[U+FEFF]'.repeat(20_000)}`)
  })

  it('is named in any other text', async () => {
    api.setHandler('POST /v1/table', (_, response) =>
      sendReply(response, 200, `name\n${hidden}\u200D\n`, { 'content-type': 'text/csv' }),
    )
    const named = 'gift[U+202E]txt.exe[U+200B][U+E0041][U+E007F][U+009B]2J[U+00AD][U+FEFF]\u200D'
    expect(getResultText(await callMcpTool(client, 'table'))).to.equal(`name\n${named}\n`)
  })

  it('is named in a problem', async () => {
    api.setHandler('POST /v1/refuse', (_, response) =>
      sendProblem(response, 409, { code: 'TAKEN', detail: `By ${hidden}.` }),
    )
    const result = await callMcpTool(client, 'refuse', { as: 'x' })
    expect(getResultText(result)).to.contain('409 TAKEN: By gift[U+202E]txt.exe')
    expect(result._meta).to.have.nested.property('problem.detail', `By ${hidden}.`)
  })

  it('stays as it is in a resource', async () => {
    api.setHandler('GET /v1/widgets/stats', (_, response) => sendReply(response, 200, `{"name":"${hidden}"}`))
    expect((await readResourceText(client, `${api.url}/v1/widgets/stats`)).text).to.equal(`{"name":"${hidden}"}`)
  })

  it('never changes the value of JSON, whatever stands in it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value, null, 1)
        expect(JSON.parse(showInvisible(text, true))).to.deep.equal(JSON.parse(text))
      }),
      { numRuns: 100 },
    )
  })

  it('never stays in a text of any kind', () => {
    const unseen =
      /[^\P{Cc}\t\n\r]|[^\P{Cf}\u200C\u200D\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1343F}\u{1BCA0}-\u{1BCA3}]/u
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(showInvisible(`.${text}`, false)).not.to.match(unseen)
      }),
      { numRuns: 500 },
    )
    const planes = Array.from({ length: 17 }, (_, plane) => plane * 0x10000)
    for (const plane of planes) {
      const all = Array.from({ length: 0xffff }, (_, code) => String.fromCodePoint(plane + code)).join('.')
      expect(unseen.test(showInvisible(all, false)), plane.toString(16)).to.equal(false)
    }
  })
})

const shown = 'gift[U+202E]txt.exe[U+200B][U+E0041]'

describe('Bridge: invisible characters in the document, prompts, errors and questions', () => {
  const { api, bridge } = useFixtureBridge()
  const document = createPromptDocument()
  const changed = JSON.parse(
    JSON.stringify(document)
      .replace('"Write sum_up"', JSON.stringify(`Sum ${hidden}`))
      .replace('"Read list_widgets"', JSON.stringify(`List ${hidden}`))
      .replace('"Shown to people."', JSON.stringify(`Shown ${hidden}`))
      .replace('"Do delete_widget"', JSON.stringify(`Delete ${hidden}`))
      .replace('["draft","published"]', JSON.stringify(['draft', hidden])),
  ) as object
  api.document = changed
  let client: Client

  before(async () => {
    client = await connectClient(bridge.url)
  })
  after(() => client.close())

  it('are named in titles and descriptions, and stay in values that are allowed', async () => {
    const { tools } = await client.listTools()
    const text = JSON.stringify(tools)
    expect(text).to.contain(`Shown ${shown}`).and.to.contain(`Delete ${shown}`)
    expect(tools.find(({ name }) => name === 'create_widget')).to.have.deep.nested.property(
      'inputSchema.properties.status.enum',
      ['draft', hidden],
    )
    const { resources } = await client.listResources()
    expect(JSON.stringify(resources)).to.contain(`List ${shown}`)
    const { prompts } = await client.listPrompts()
    expect(JSON.stringify(prompts)).to.contain(`Sum ${shown}`)
  })

  it('are named in the messages of a prompt, in both eras', async () => {
    const contents = [
      { type: 'text', text: hidden },
      { type: 'resource', resource: { uri: 'w:1', mimeType: 'text/plain', text: hidden } },
      { type: 'resource_link', uri: 'w:2', name: hidden, description: hidden },
    ]
    const messages = contents.map((content) => ({ role: 'user', content }))
    api.setHandler('GET /v1/widgets/w/praise', (_, response) =>
      sendReply(response, 200, { description: hidden, messages }),
    )
    const params = { name: 'praise_widget', arguments: { id: 'w', tone: 'plain' } }
    const answers = [
      await client.getPrompt(params),
      parseResult(await sendModernRequest(bridge.url, 'prompts/get', params)),
    ]
    for (const answer of answers) {
      const { description, messages: came } = answer as Awaited<ReturnType<Client['getPrompt']>>
      expect(description).to.contain(shown)
      const text = JSON.stringify(came)
      expect(text.split(shown)).to.have.length(5)
      expect(text).not.to.contain('\u202e')
    }
  })

  it('are named in the messages of errors, in both eras', async () => {
    api.setHandler('GET /v1/widgets/w', (_, response) => sendProblem(response, 409, { detail: hidden }))
    const uri = `${api.url}/v1/widgets/w`
    const refused = await catchError(client.readResource({ uri }))
    expect(refused.message).to.contain(shown)
    expect(refused.data).to.include({ detail: hidden })
    expect(parseError(await sendModernRequest(bridge.url, 'resources/read', { uri })).message).to.contain(shown)
    expect((await catchError(callMcpTool(client, hidden))).message).to.contain(shown)
  })

  it('are named in questions to people', async () => {
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const asking = await connectAskingClient(bridge.url, revision, () => ({ action: 'decline' }))
      await asking.call('delete_widget', { id: 'w' })
      expect(asking.shownQuestions[0]?.message, revision).to.contain(`Delete ${shown}`)
      await asking.close()
    }
  })
})

describe('prompts/get: messages larger than 256 KiB', () => {
  const { api, bridge } = useFixtureBridge()
  api.document = createPromptDocument()

  it('are cut together, and say so', async () => {
    const client = await connectClient(bridge.url)
    const data = 'AAAA'.repeat(80_000)
    const contents = [
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'text', text: 'é'.repeat(200_000) },
      { type: 'text', text: 'The end.' },
      { type: 'text', text: 'Really.' },
    ]
    const messages = contents.map((content) => ({ role: 'user', content }))
    api.setHandler('GET /v1/widgets/w/praise', (_, response) => sendReply(response, 200, { messages }))
    const { messages: came } = await client.getPrompt({ name: 'praise_widget', arguments: { id: 'w', tone: 'plain' } })
    expect(Buffer.byteLength(JSON.stringify(came))).to.be.within(256 * 1024 - 2048, 256 * 1024)
    const texts = came.map(({ content }) => (content.type === 'text' ? content.text : ''))
    expect(texts[0]).to.equal('(image of 320000 bytes in base64: too large to be shown.)')
    expect(texts[1]).to.match(/^é+\n\(The first \d+ of 400000 bytes\.\)$/)
    expect(texts[2]).to.equal('(2 more messages: together too large to be shown.)')
    expect(texts).to.have.length(3)
    await client.close()
  })
})
