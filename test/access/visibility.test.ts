import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { createEmail, createUniqueName } from '../core/identity/people.ts'
import { getBody, waitForJob, createSerial } from '../core/dpp/passports/fixtures.ts'
import { buildBuyer, buildSheet, buildShop, type Buyer, type Shop } from '../support/world.ts'
import { createApis, readVisible, states, surfaces, formatTable, viewers, type State } from './visibility.ts'

/** What each viewer sees of a passport in each state. `UPDATE_GOLDEN=1` writes the file anew. */
const file = new URL('visibility.md', import.meta.url)

interface Made {
  id: string
  tokenId: string
}

describe('Visibility of a certified passport by viewer and state', () => {
  let shop: Shop
  let other: Shop
  let buyer: Buyer
  let email: string
  const phone = '+33612345699'
  const reference = createUniqueName('reference')
  const tables = new Map<string, string>()

  before(async () => {
    shop = await buildShop()
    other = await buildShop()
    email = createEmail('claimer')
    buyer = await buildBuyer(shop, email)
  })

  const flows = {
    'sheet flow': async () => ({
      product: await buildSheet(shop, { certifiedPaths: ['serialNumber'] }),
      fields: { serialNumber: createSerial() },
    }),
    'product flow': async () => ({
      application: shop.application,
      network: 'EthereumAnvil',
      certifiedPaths: ['story'],
      data: { story: 'Sewn by hand' },
      product: { idGranularity: 'item', name: 'Bag', itemNumber: createSerial() },
    }),
  }

  async function job(path: string, by: Pick<Buyer, 'post' | 'get'> = shop.api, body?: object): Promise<void> {
    const {
      status,
      text,
      body: { jobId },
    } = await by.post(path, body)
    expect(status, text).to.equal(202)
    const done = await waitForJob(by as Buyer, by === shop.api ? `/v1/jobs/${jobId}` : `/v1/dpp/claim/${jobId}/status`)
    expect(done.status, JSON.stringify(done.errors)).to.equal('completed')
  }

  /** A passport that has come to this state. */
  async function made(flow: keyof typeof flows, state: State): Promise<Made> {
    const answer = await shop.api.post('/v1/dpp/passports', {
      ...(await flows[flow]()),
      reference: `${reference}-${flow}-${state}`,
      allowedClaimEmail: email,
      allowedClaimPhoneNumber: phone,
    })
    expect(answer.status, answer.text).to.equal(201)
    const passport = getBody<Made>(answer)
    if (state !== 'draft') await job(`/v1/dpp/passports/publish?filters[id][eq]=${passport.id}`)
    if (state === 'claimed' || state === 'archived') await job('/v1/dpp/claim', buyer, { passport: passport.id })
    if (state === 'archived') await shop.api.patch(`/v1/dpp/passports/${passport.id}`, { status: 'archived' })
    return passport
  }

  for (const flow of Object.keys(flows) as (keyof typeof flows)[]) {
    it(`is as the table says, in the ${flow}, and nothing personal is public`, async () => {
      const cells = new Map<string, string>()
      const apis = createApis({ own: shop.key, another: other.key }, buyer)
      for (const state of states) {
        const passport = await made(flow, state)
        for (const surface of surfaces) {
          for (const viewer of viewers) {
            const { answer, cell } = await readVisible(apis[viewer], surface, passport)
            cells.set(`${state} ${surface} ${viewer}`, cell)
            const personal = [email, phone, reference, buyer.account].filter((secret) => answer.text.includes(secret))
            if (viewer !== 'key of the organization')
              expect(personal, `${viewer} at ${surface} of ${state}`).to.deep.equal([])
          }
        }
      }
      tables.set(flow, formatTable(cells))
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, tables.get(flow) ?? '')
      expect(tables.get(flow)).to.equal(readFileSync(file, 'utf8'))
    })
  }

  it('is the same in both flows', () => {
    expect(tables.size).to.equal(2)
    expect(tables.get('sheet flow')).to.equal(tables.get('product flow'))
  })
}).timeout(60_000)
