import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { showInvisible } from '../../../tools/arguments/show-invisible.ts'
import { callMcpTool, connectClient, readResourceText, getResultText } from '../../support/bridge/bridge-client.ts'
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
