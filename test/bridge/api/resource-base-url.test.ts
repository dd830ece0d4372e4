import { expect } from 'chai'
import { useFixtureBridge, sendProblem, sendReply } from '../../support/bridge/bridge-fixture.ts'
import { sendModernRequest, parseError, parseResult } from '../../support/bridge/modern-client.ts'

const shown = 'https://api.example.org/base'

describe('Bridge: RESOURCE_BASE_URL, resources under an address of their own', () => {
  const { api, bridge } = useFixtureBridge({ MCP_RESOURCES_URL: `${shown}/` })
  const read = (uri: string) => sendModernRequest(bridge.url, 'resources/read', { uri })

  it('are listed by it, and so is all that links them', async () => {
    const lists = ['resources/list', 'resources/templates/list', 'tools/list', 'prompts/list']
    const texts = await Promise.all(lists.map(async (method) => (await sendModernRequest(bridge.url, method)).text))
    expect(texts[0]).to.contain(`"uri":"${shown}/v1/widgets"`)
    expect(texts[1]).to.contain(`"uriTemplate":"${shown}/v1/widgets/{id}"`)
    expect(texts[2]).to.contain('tessera://schemas/BigThing')
    expect(texts.join('')).not.to.contain(api.url)
  })

  it('are read by it, from the API’s own address', async () => {
    api.setHandler('GET /v1/widgets/w-1', (_, response) => sendReply(response, 200, { id: 'w-1' }))
    const { contents } = parseResult<{ contents: unknown[] }>(await read(`${shown}/v1/widgets/w-1`))
    const uri = `${shown}/v1/widgets/w-1`
    expect(contents).to.deep.equal([{ uri, mimeType: 'application/json', text: '{"id":"w-1"}' }])
    expect(api.lastRequest.url).to.equal('/v1/widgets/w-1')
    expect(parseError(await read(`${api.url}/v1/widgets/w-1`))).to.include({ code: -32602 })
  })

  it('are what results link', async () => {
    api.setHandler('POST /v1/widgets/publish', (_, response) =>
      sendReply(response, 202, { jobId: 'j-1' }, { location: '/v1/jobs/j-1' }),
    )
    const started = await sendModernRequest(bridge.url, 'tools/call', {
      name: 'publish_widgets',
      arguments: { filters: [] },
    })
    expect(started.text).to.contain(`"uri":"${shown}/v1/jobs/j-1"`).and.not.to.contain(api.url)
    api.setHandler('DELETE /v1/widgets/w-2', (_, response) =>
      sendProblem(response, 404, { detail: 'It is not there.' }),
    )
    const missing = await sendModernRequest(bridge.url, 'tools/call', {
      name: 'delete_widget',
      arguments: { id: 'w-2' },
    })
    expect(missing.text).to.contain(`listed in the resource ${shown}/v1/widgets`).and.not.to.contain(api.url)
  })
})
