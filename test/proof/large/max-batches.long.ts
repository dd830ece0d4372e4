import { expect } from 'chai'
import { waitForJobEnd, postUntilAccepted, readUntilAnswered } from '../stage/retried-requests.ts'
import { signIn, type Buyer } from '../stage/buyers.ts'
import { checkMintedTokens, toTokenId, type AcceptedPassport } from '../stage/minted-tokens.ts'
import { Shop } from '../stage/shop.ts'
import { createApiClient, type Client } from '../../support/client.ts'
import { startPlatform, type OwnPlatform } from '../../support/own-platform.ts'

interface Token {
  address: string
  name: string
  symbol: string
  network: string
}

describe('POST /v1/dpp/products/{id}/mint beyond the maximum of batches of one contract', () => {
  let own: OwnPlatform
  let api: Client
  let buyer: Buyer
  let shop: Shop
  const accepted: AcceptedPassport[][] = []

  before(async () => {
    own = await startPlatform({ env: { PASSPORT_BATCHES_PER_CONTRACT: '2' } })
    api = createApiClient(own.apiKey, own.api)
    buyer = await signIn(own, 'further@people.example')
    shop = new Shop(own, buyer)
  })
  after(() => own.stop())

  const tokens = async () => {
    const { body } = await readUntilAnswered(api, `/v1/applications/${own.application}`)
    return (body as unknown as { dppSettings: { tokens: Token[] } }).dppSettings.tokens
  }

  it('mints three batches where a contract takes two: every token once, in two contracts', async () => {
    for (let batch = 0; batch < 3; batch++) {
      const order = await shop.batch(3)
      const { job } = await order.send()
      await waitForJobEnd(() => order.status(job))
      accepted.push(await order.check(job))
    }
    const contracts = accepted.map((batch) => [...new Set(batch.map(({ contract }) => contract))])
    const [first, second] = await tokens()
    expect(contracts).to.deep.equal([[first?.address], [first?.address], [second?.address]])
    const verdict = await checkMintedTokens(own.rpc, accepted.flat())
    expect(verdict).to.deep.equal({ expected: 9, found: 9, lost: [], duplicates: [], foreign: [], astray: [] })
  })

  it('lists both contracts of the application, the older one first, under one name', async () => {
    const all = await tokens()
    expect(all).to.have.length(2)
    expect(new Set(all.map(({ name, symbol, network }) => `${name} ${symbol} ${network}`)).size).to.equal(1)
    expect(new Set(all.map(({ address }) => address)).size).to.equal(2)
  })

  it('has a token of either contract claimed where it is, and serves its metadata', async () => {
    const chosen = [accepted[0]?.[1], accepted[2]?.[1]].flatMap((one) => one ?? [])
    const claimed = new Map(
      await Promise.all(
        chosen.map(async (one): Promise<[string, AcceptedPassport]> => {
          const { body } = await readUntilAnswered(api, `/v1/dpp/passports/${one.passport}/magic-token`)
          const { job } = await postUntilAccepted(buyer.api, '/v1/dpp/claim/magicToken', { magicToken: body['token'] })
          expect(await waitForJobEnd(() => buyer.api.get(`/v1/dpp/claim/${job}/status`))).to.include({
            status: 'completed',
            failed: 0,
          })
          expect((await createApiClient({}, own.api).get(`/t/${toTokenId(one.passport)}`)).status).to.equal(200)
          const {
            body: { token },
          } = await readUntilAnswered(api, `/v1/dpp/passports/${one.passport}`)
          return [one.passport, { passport: one.passport, owner: buyer.address, contract: String(token?.['contract']) }]
        }),
      ),
    )
    expect([...claimed.values()].map(({ contract }) => contract)).to.deep.equal(chosen.map(({ contract }) => contract))
    const all = accepted.flat().map((one) => claimed.get(one.passport) ?? one)
    const verdict = await checkMintedTokens(own.rpc, all)
    expect(verdict).to.deep.equal({ expected: 9, found: 9, lost: [], duplicates: [], foreign: [], astray: [] })
  })
}).timeout(120_000)
