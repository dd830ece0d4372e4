import { expect } from 'chai'
import { client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { certify, formsOf, newBody, newSheetBody } from './evidence.ts'
import { contentHashOf, holds, holdsOnChain, type Receipt } from './receipt.ts'
import { parseStrictly } from './strict.ts'

describe('The receipt of an anchor', function () {
  this.timeout(60_000)
  const maker = () => ({ platform, api: client(platform.apiKey) })
  const receiptOf = async (id: string) =>
    (await client().get(`/v1/dpp/passports/${id}/anchor`)).body as unknown as Receipt

  it('leads from a credential to a root that stands on chain, in both flows', async () => {
    for (const body of [newBody(platform.application), await newSheetBody(maker())]) {
      const id = await certify(maker(), body)
      const credential = parseStrictly((await formsOf(maker(), id)).ld)
      const receipt = await receiptOf(id)
      expect(holds(receipt, id, credential)).to.equal(true)
      expect(await holdsOnChain(platform.rpc, receipt)).to.equal(true)
      expect((await client().get(`/v1/dpp/passports/${id}`)).body.contentHash).to.equal(contentHashOf(credential))
    }
  })

  it('holds for no other credential, passport, proof or root', async () => {
    const passports = await Promise.all([1, 2, 3].map(() => certify(maker(), newBody(platform.application))))
    const [one = '', other = ''] = passports
    const [credential, foreign] = await Promise.all([one, other].map(async (id) => parseStrictly((await formsOf(maker(), id)).ld)))
    const [receipt, stranger] = await Promise.all([receiptOf(one), receiptOf(other)])
    expect(holds(receipt, one, credential ?? {})).to.equal(true)
    expect(holds(receipt, other, credential ?? {})).to.equal(false)
    expect(holds(receipt, one, foreign ?? {})).to.equal(false)
    expect(holds({ ...receipt, root: stranger.leaf }, one, credential ?? {})).to.equal(false)
    expect(holds({ ...receipt, proof: [...receipt.proof, stranger.leaf] }, one, credential ?? {})).to.equal(false)
    expect(await holdsOnChain(platform.rpc, { ...receipt, leaf: `0x${'1'.repeat(64)}` })).to.equal(false)
    expect(await holdsOnChain(platform.rpc, { ...receipt, root: receipt.leaf, proof: [receipt.leaf] })).to.equal(false)
  })

  it('carries the hash that build-vc gave before there was a passport', async () => {
    const { api } = maker()
    const body = newBody(platform.application)
    const built = await api.post('/v1/dpp/passports/build-vc', body)
    expect(built.status, built.text).to.equal(200)
    const id = await certify(maker(), body)
    expect((await api.get(`/v1/dpp/passports/${id}`)).body.contentHash).to.equal(contentHashOf(parseStrictly(built.bytes)))
    expect(holds(await receiptOf(id), id, parseStrictly(built.bytes))).to.equal(true)
  })
})
