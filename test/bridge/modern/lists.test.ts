import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { fixtureBridge } from '../../support/bridge-fixture.ts'

describe('Lists in revision 2026-07-28', () => {
  const { bridge } = fixtureBridge()

  it('are what the session era lists, to the reference client of the newest revision', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    await client.connect(new StreamableHTTPClientTransport(new URL(bridge.url)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).to.include('create_widget')
    await client.close()
  })
})
