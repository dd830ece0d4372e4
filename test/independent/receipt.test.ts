import { expect } from 'chai'
import { createApiClient } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { certifyPassport, readForms, createProductBody, createSheetBody } from './evidence.ts'
import { computeContentHash, isReceiptValid, isReceiptOnChain, type Receipt } from './receipt.ts'
import { parseStrictly } from './strict.ts'

describe('GET /v1/dpp/passports/{id}/anchor, checked by an independent verifier', function () {
  this.timeout(60_000)
  const maker = () => ({ platform, api: createApiClient(platform.apiKey) })
  const receiptOf = async (id: string) =>
    (await createApiClient().get(`/v1/dpp/passports/${id}/anchor`)).body as unknown as Receipt

  it('leads from a credential to a root that stands on chain, in both flows', async () => {
    for (const body of [createProductBody(platform.application), await createSheetBody(maker())]) {
      const id = await certifyPassport(maker(), body)
      const credential = parseStrictly((await readForms(maker(), id)).ld)
      const receipt = await receiptOf(id)
      expect(isReceiptValid(receipt, id, credential)).to.equal(true)
      expect(await isReceiptOnChain(platform.rpc, receipt)).to.equal(true)
      expect((await createApiClient().get(`/v1/dpp/passports/${id}`)).body.contentHash).to.equal(
        computeContentHash(credential),
      )
    }
  })

  it('holds for no other credential, passport, proof or root', async () => {
    const passports = await Promise.all(
      [1, 2, 3].map(() => certifyPassport(maker(), createProductBody(platform.application))),
    )
    const [one = '', other = ''] = passports
    const [credential, foreign] = await Promise.all(
      [one, other].map(async (id) => parseStrictly((await readForms(maker(), id)).ld)),
    )
    const [receipt, stranger] = await Promise.all([receiptOf(one), receiptOf(other)])
    expect(isReceiptValid(receipt, one, credential ?? {})).to.equal(true)
    expect(isReceiptValid(receipt, other, credential ?? {})).to.equal(false)
    expect(isReceiptValid(receipt, one, foreign ?? {})).to.equal(false)
    expect(isReceiptValid({ ...receipt, root: stranger.leaf }, one, credential ?? {})).to.equal(false)
    expect(isReceiptValid({ ...receipt, proof: [...receipt.proof, stranger.leaf] }, one, credential ?? {})).to.equal(
      false,
    )
    expect(await isReceiptOnChain(platform.rpc, { ...receipt, leaf: `0x${'1'.repeat(64)}` })).to.equal(false)
    expect(await isReceiptOnChain(platform.rpc, { ...receipt, root: receipt.leaf, proof: [receipt.leaf] })).to.equal(
      false,
    )
  })

  it('carries the hash that build-vc gave before there was a passport', async () => {
    const { api } = maker()
    const body = createProductBody(platform.application)
    const built = await api.post('/v1/dpp/passports/build-vc', body)
    expect(built.status, built.text).to.equal(200)
    const id = await certifyPassport(maker(), body)
    expect((await api.get(`/v1/dpp/passports/${id}`)).body.contentHash).to.equal(
      computeContentHash(parseStrictly(built.bytes)),
    )
    expect(isReceiptValid(await receiptOf(id), id, parseStrictly(built.bytes))).to.equal(true)
  })
})
