import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { listEntries } from '../../core/loyalty/points/fixtures.ts'
import { callMcpTool, connectClient, getResultText, readResourceText } from '../../support/bridge/bridge-client.ts'
import { platform } from '../../support/platform.ts'
import { buildBuyer, buildShop, type Shop } from '../../support/world.ts'

describe('tools/call: points', () => {
  let shop: Shop
  let agent: Client
  let account: string
  before(async () => {
    shop = await buildShop()
    agent = await connectClient(platform.bridge, { 'x-api-key': shop.key })
  })
  after(() => agent?.close())
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('mint_loyalty_points credits once, also when an assistant repeats the call', async () => {
    for (let call = 0; call < 2; call++) {
      const result = await callMcpTool(agent, 'mint_loyalty_points', { id: account, amount: 120 })
      expect(result.isError, getResultText(result)).not.to.equal(true)
      expect(result.structuredContent).to.deep.include({ optimisticBalance: '120' })
    }
    expect((await listEntries(shop.api, account)).map(({ kind }) => kind)).to.deep.equal(['mint'])
  })

  it('burn_loyalty_points says how many points there are if they are too few', async () => {
    await callMcpTool(agent, 'mint_loyalty_points', { id: account, amount: 10 })
    const result = await callMcpTool(agent, 'burn_loyalty_points', { id: account, amount: 11 })
    expect(result.isError).to.equal(true)
    expect(getResultText(result)).to.include('LOYALTY_INSUFFICIENT_BALANCE').and.to.include('10')
    const { text } = await readResourceText(agent, `${platform.api}/v1/loyalty/account/${account}/ledger?fields=kind`)
    expect(text).to.include('mint').and.not.to.include('burn')
  })
})
