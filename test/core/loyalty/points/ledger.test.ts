import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { runAdmin, runAdminWithSettings } from '../../../support/admin-command.ts'
import { platform } from '../../../support/platform.ts'
import { spoilFigures, spoilSettled } from '../../../support/rows/accounts/figures.ts'
import { buildBuyer, buildShop, type Shop } from '../../../support/world.ts'
import { formatVerdict, getBody } from '../../dpp/passports/fixtures.ts'
import { getOperator } from '../../identity/people.ts'
import { burn, getAccepted, listEntries, mint, waitForPoints, type Entry } from './fixtures.ts'

describe('GET /v1/loyalty/account/:id/ledger', () => {
  let shop: Shop
  let account: string
  before(async () => {
    shop = await buildShop()
  })
  beforeEach(async () => {
    ;({ account } = await buildBuyer(shop))
  })

  it('lists the entries, the newest first, each with postings that sum to zero', async () => {
    expect(await listEntries(shop.api, account), 'before the first').to.deep.equal([])
    const minted = getAccepted(await mint(shop.api, account, { amount: 50 }))
    const burned = getAccepted(await burn(shop.api, account, { amount: 20 }))
    const entries = await listEntries(shop.api, account)
    expect(entries.map(({ kind, operationId }) => [kind, operationId])).to.deep.equal([
      ['burn', burned.operationId],
      ['mint', minted.operationId],
    ])
    expect(entries.map(({ postings }) => postings)).to.deep.equal([
      [
        { book: 'points', owner: account, amount: '-20' },
        { book: 'points', owner: 'issuer', amount: '20' },
      ],
      [
        { book: 'points', owner: account, amount: '50' },
        { book: 'points', owner: 'issuer', amount: '-50' },
      ],
    ])
  })

  it('shows the entries of this account only', async () => {
    const { account: other } = await buildBuyer(shop)
    await mint(shop.api, other, { amount: 1 })
    expect(await listEntries(shop.api, account)).to.deep.equal([])
  })

  it('filters by kind, id and both times, pages by cursor, and selects fields', async () => {
    for (const amount of [1, 2, 3]) await mint(shop.api, account, { amount })
    await burn(shop.api, account, { amount: 4 })
    const entries = await listEntries(shop.api, account)
    const [burned, third, , first] = entries
    const idsOf = async (query: string) => (await listEntries(shop.api, account, query)).map(({ id }) => id)
    expect(await idsOf('filters[kind][eq]=burn')).to.deep.equal([burned?.id])
    expect(await idsOf(`filters[id][eq]=${third?.id}`)).to.deep.equal([third?.id])
    expect(await idsOf(`filters[recordedAt][lte]=${first?.recordedAt}`)).to.include(first?.id)
    expect(await idsOf(`filters[occurredAt][gt]=${new Date(Date.now() + 60_000).toISOString()}`)).to.deep.equal([])
    const ascending = entries.map(({ id }) => id).toReversed()
    expect(await idsOf('sorters[0][field]=recordedAt&sorters[0][order]=asc')).to.deep.equal(ascending)
    const path = `/v1/loyalty/account/${account}/ledger?pageSize=3`
    const page = getBody<{ data: Entry[]; nextCursor: string; total: number }>(await shop.api.get(path))
    expect([page.data.length, page.total]).to.deep.equal([3, 4])
    expect(await idsOf(`pageSize=3&cursor=${page.nextCursor}`)).to.deep.equal([first?.id])
    const selected = await listEntries(shop.api, account, 'fields=kind&pageSize=1')
    expect(selected).to.deep.equal([{ id: burned?.id, kind: 'burn' }])
  })

  it('does not find an account of another organization, or none', async () => {
    const foreign = await buildShop()
    for (const id of [account, randomUUID()])
      expect(formatVerdict(await foreign.api.get(`/v1/loyalty/account/${id}/ledger`))).to.equal(
        '404 LOYALTY_ACCOUNT_NOT_FOUND',
      )
  })
})

describe('admin ledger verify', () => {
  const verify = (organization: string) =>
    runAdmin(platform.dataDir, 'ledger', 'verify', '--organization', organization, '--json')

  it('replays the entries of an organization and names what differs', async () => {
    const shop = await buildShop()
    const { account } = await buildBuyer(shop)
    await mint(shop.api, account, { amount: 50 })
    await waitForPoints(shop.api, getAccepted(await burn(shop.api, account, { amount: 20 })))
    const { code, json, err } = await verify(shop.organization)
    expect([code, err]).to.deep.equal([0, ''])
    expect(json).to.deep.equal({ checked: 2, differences: [] })
    await spoilFigures((await getOperator()).db, account, 5)
    expect((await verify(shop.organization)).json).to.deep.equal({
      checked: 2,
      differences: [{ what: 'figure', account, figure: 'points', expected: '30', found: '35' }],
    })
    expect((await verify('everybody')).code).to.equal(1)
  })

  it('compares what is final with the chain, where that is wanted', async () => {
    const shop = await buildShop()
    const { account } = await buildBuyer(shop)
    await waitForPoints(shop.api, getAccepted(await mint(shop.api, account, { amount: 50 })))
    const words = ['ledger', 'verify', '--organization', shop.organization, '--chain', '--json']
    const without = await runAdmin(platform.dataDir, ...words)
    expect([without.code, without.err]).to.deep.equal([1, 'no node of EthereumAnvil is configured\n'])
    const settings = { DATA_DIR: platform.dataDir, ANVIL_RPC_URL: platform.rpc }
    const check = () => runAdminWithSettings(settings, ...words)
    const { code, json, err } = await check()
    expect([code, err]).to.deep.equal([0, ''])
    expect(json).to.deep.equal({ checked: 1, differences: [], moving: 0 })
    await shop.api.patch(`/v1/applications/${shop.application}`, { defaultNetwork: 'XdcApothem' })
    await mint(shop.api, (await buildBuyer(shop)).account, { amount: 1 })
    await spoilSettled((await getOperator()).db, account, 5)
    const spoiled = (await check()).json as { differences?: object[]; moving?: number }
    expect(spoiled.differences).to.deep.include({ what: 'chain', account, expected: '55', found: '50' })
    expect(spoiled.moving, 'whose entries are on their way').to.equal(1)
  })
})
