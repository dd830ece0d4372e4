import { expect } from 'chai'
import type { Passport } from '../../core/features/dpp/passports.schema.ts'
import { client } from '../support/client.ts'
import { newEmail } from '../core/identity/people.ts'
import { ended, newBuyer, newPublished, newSheet, newShop, readOwners, readPassport, type Buyer, type Shop } from '../core/passports/fixtures.ts'

describe("A try to take what another organization's addresses hold", () => {
  let brand: Shop
  let thief: Shop
  let sheet: string
  let passport: Passport
  let claimed: Passport
  let owner: Buyer
  let thiefsBuyer: Buyer

  before(async () => {
    ;[brand, thief] = [await newShop(), await newShop()]
    sheet = await newSheet(brand)
    const email = newEmail('owner')
    owner = await newBuyer(brand, email)
    thiefsBuyer = await newBuyer(thief, email)
    passport = await newPublished(brand, sheet, { allowedClaimEmail: email })
    const theirs = await newPublished(brand, sheet, { allowedClaimEmail: email })
    const { body } = await owner.post('/v1/dpp/claim', { passport: theirs.id })
    await ended(owner, `/v1/dpp/claim/${body.jobId}/status`)
    claimed = await readPassport(brand.api, theirs.id)
  })
  afterEach(async () => {
    expect((await readPassport(brand.api, passport.id)).token?.owner ?? null).to.equal(null)
    expect((await readOwners(claimed.id)).map(({ to }) => to)).to.deep.equal([owner.address])
  })

  it('by a claim of the same person under the thief\'s application: the address is another one', async () => {
    expect(thiefsBuyer.address).to.not.equal(owner.address)
    expect((await thiefsBuyer.post('/v1/dpp/claim', { passport: passport.id })).status).to.be.oneOf([403, 404])
  })

  it('by the magic token of the brand under the thief\'s application', async () => {
    const { body: { token } } = await brand.api.get(`/v1/dpp/passports/${passport.id}/magic-token`)
    expect((await thiefsBuyer.post('/v1/dpp/claim/magicToken', { magicToken: token })).status).to.be.oneOf([400, 403, 404, 422])
  })

  it('by a claim of what the owner\'s address has already', async () => {
    expect((await thiefsBuyer.post('/v1/dpp/claim', { passport: claimed.id })).status).to.be.oneOf([403, 404, 409])
    const again = await newBuyer(brand, newEmail('stranger'))
    expect((await again.post('/v1/dpp/claim', { passport: claimed.id })).status).to.be.oneOf([403, 409])
  })

  it('by minting into the brand\'s contract, with the thief\'s key and without any', async () => {
    for (const by of [thief.api, client(), thiefsBuyer]) {
      const answer = await by.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'stolen' }])
      expect(answer.status).to.be.oneOf([401, 403, 404])
    }
  })
})
