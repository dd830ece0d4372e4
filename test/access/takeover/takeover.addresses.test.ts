import { expect } from 'chai'
import type { Passport } from '../../../core/features/dpp/index.ts'
import { createApiClient } from '../../support/client.ts'
import { createEmail } from '../../core/identity/people.ts'
import { waitForJob, listOwners, readPassport } from '../../core/dpp/passports/fixtures.ts'
import {
  buildBuyer,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Buyer,
  type Shop,
} from '../../support/world.ts'

describe('Tenant isolation: addresses of another organization', () => {
  let brand: Shop
  let thief: Shop
  let sheet: string
  let passport: Passport
  let claimed: Passport
  let owner: Buyer
  let thiefsBuyer: Buyer

  before(async () => {
    ;[brand, thief] = [await buildShop(), await buildShop()]
    sheet = await buildSheet(brand)
    const email = createEmail('owner')
    owner = await buildBuyer(brand, email)
    thiefsBuyer = await buildBuyer(thief, email)
    passport = await buildPublishedPassport(brand, sheet, { allowedClaimEmail: email })
    const theirs = await buildPublishedPassport(brand, sheet, { allowedClaimEmail: email })
    const { body } = await owner.post('/v1/dpp/claim', { passport: theirs.id })
    await waitForJob(owner, `/v1/dpp/claim/${body.jobId}/status`)
    claimed = await readPassport(brand.api, theirs.id)
  })
  afterEach(async () => {
    expect((await readPassport(brand.api, passport.id)).token?.owner ?? null).to.equal(null)
    expect((await listOwners(claimed.id)).map(({ to }) => to)).to.deep.equal([owner.address])
  })

  it('gives the same person another address in the application of the attacker', async () => {
    expect(thiefsBuyer.address).to.not.equal(owner.address)
    expect((await thiefsBuyer.post('/v1/dpp/claim', { passport: passport.id })).status).to.be.oneOf([403, 404])
  })

  it('refuses the magic token of the brand in the application of the attacker', async () => {
    const {
      body: { token },
    } = await brand.api.get(`/v1/dpp/passports/${passport.id}/magic-token`)
    expect((await thiefsBuyer.post('/v1/dpp/claim/magicToken', { magicToken: token })).status).to.be.oneOf([
      400, 403, 404, 422,
    ])
  })

  it('refuses a claim of a token that the owner already holds', async () => {
    expect((await thiefsBuyer.post('/v1/dpp/claim', { passport: claimed.id })).status).to.be.oneOf([403, 404, 409])
    const again = await buildBuyer(brand, createEmail('stranger'))
    expect((await again.post('/v1/dpp/claim', { passport: claimed.id })).status).to.be.oneOf([403, 409])
  })

  it('refuses to mint into the contract of the brand with another key or none', async () => {
    for (const by of [thief.api, createApiClient(), thiefsBuyer]) {
      const answer = await by.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'stolen' }])
      expect(answer.status).to.be.oneOf([401, 403, 404])
    }
  })
})
