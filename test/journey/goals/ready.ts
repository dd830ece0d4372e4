import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { createUniqueName } from '../../core/identity/people.ts'
import { createUntpItem } from '../../support/values/untp.ts'
import { buildDescribedPassport, buildOrganization, buildKey, type Shop } from '../../support/world.ts'
import { getBody } from '../../core/dpp/passports/fixtures.ts'
import type { Goal } from './goal.ts'

const passports = 12
const countries = ['FR', 'IT', 'PT', 'DE']

/** Builds passports of which all but one are ready. @returns the id of the one whose country is not known */
async function buildMostlyReady(shop: Shop): Promise<string> {
  const wrong = randomInt(passports)
  const { modelNumber: _, ...item } = createUntpItem('')
  const ids: string[] = []
  for (let at = 0; at < passports; at++) {
    const itemNumber = createUniqueName('I')
    const product = { ...item, itemNumber, id: `https://brand.example/items/${itemNumber}` }
    const { countryOfProduction, ...incomplete } = product
    const { id } = await buildDescribedPassport(
      shop,
      at === wrong ? incomplete : { ...incomplete, countryOfProduction },
    )
    ids.push(id)
  }
  return ids[wrong] ?? ''
}

/** Goal b: which passports are not ready, and one of them is mended. */
export const mendedPassport: Goal = {
  letter: 'b',
  title: 'which passports of an application are not ready, fix one',
  limits: { calls: 4, tokens: 2_500 },
  async reach({ shop, connect }) {
    const wrong = await buildMostlyReady(shop)
    const assistant = await connect()
    const { body } = await assistant.achieve('which passports are not ready', 'list_dpp_readiness', {
      filters: { 'application.id': { eq: shop.application } },
    })
    expect(body['ready']).to.equal(passports - 1)
    const rule = (body['byRule'] ?? []).find((one) => one['severity'] === 'error')
    const id = String(rule?.['sample']?.[0]?.['id'])
    expect(id).to.equal(wrong)
    const countryCode = countries[randomInt(countries.length)]
    await assistant.achieve('change a passport', 'update_dpp_passport', {
      id,
      product: { countryOfProduction: { countryCode, countryName: 'Known' } },
    })
    const after = await assistant.achieve('readiness of one passport', 'get_dpp_passport_readiness', { id })
    expect(after.body['ready']).to.equal(true)
    const stored = getBody<{ product: { countryOfProduction: object } }>(await shop.api.get(`/v1/dpp/passports/${id}`))
    expect(stored.product.countryOfProduction).to.include({ countryCode })
  },
}

/** Goal i: a key that may not is told what to ask for. */
export const missingPermission: Goal = {
  letter: 'i',
  title: 'a key that may not: what to ask the administrator for',
  limits: { calls: 1 },
  async reach({ connect }) {
    const { organization } = await buildOrganization()
    const { key } = await buildKey(organization, { dpp: ['read'] })
    const assistant = await connect({ key })
    const refused = await assistant.do('create an application', 'create_application', {
      name: createUniqueName('Shop'),
    })
    expect(refused.isError).to.equal(true)
    expect(refused.text).to.contain('403 AUTH_INSUFFICIENT_PERMISSIONS')
    expect(refused.text)
      .to.contain('application, create')
      .and.to.match(/owner|admin/)
  },
}
