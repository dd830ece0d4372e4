import { createDraft } from '../core/loyalty/campaigns/fixtures.ts'
import { createApiClient, type Client } from '../support/client.ts'
import { bindRestaurant, startPosStage } from '../support/pos/restaurants.ts'
import { getCredentialPath } from '../core/certification/credentials/certified.ts'
import {
  buildCertifiedPassport,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../support/world.ts'
import { createImport, createMapper } from '../core/imports/intake/intake.maker.ts'
import { waitForJob } from '../core/dpp/passports/fixtures.ts'
import { signInBuyer } from '../core/identity/people.ts'
import { createCast, type Attacker } from './cast.ts'

/** What there is to reach for, by the names that paths use. */
export interface Stage {
  shop: Shop
  /** The identifier of a restaurant of the shop that is bound to a POS. */
  restaurant: string
  ids(path: string): Record<string, string>
  cast: Attacker[]
  claimer: Client
}

/** Binds a restaurant of the shop. @returns what the paths and bodies of the POS name */
async function createPosIds(shop: Shop) {
  const { pos, api, stop } = await startPosStage()
  try {
    const { integrationId, restaurantId, pointOfSale } = await bindRestaurant(pos, api, shop)
    return { pointOfSale, posIds: { integrationId, restaurantId, customerId: 'C-2041' } }
  } finally {
    await stop()
  }
}

/** One organization with something of everything, and everybody who may or may not reach for it. */
export async function createStage(): Promise<Stage> {
  const scenery = await createScenery()
  return { ...scenery, cast: await createCast(scenery.shop) }
}

/** One organization with something of everything. */
export async function createScenery(): Promise<Omit<Stage, 'cast'>> {
  const shop = await buildShop()
  const sheet = await buildSheet(shop)
  await shop.api.patch(`/v1/applications/${shop.application}`, { domains: [`shop-${process.pid}.example`] })
  const job = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'M-1' }])
  await waitForJob(shop.api, `/v1/jobs/${job.body['jobId']}`)
  const email = `claimer-${process.pid}@people.example`
  const passport = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
  const signedIn = await signInBuyer(shop.application, email)
  const account = String(signedIn.body['account']?.['id'])
  await shop.api.post(`/v1/loyalty/account/${account}/mint`, { amount: 1 })
  const assigned = await shop.api.post('/v1/account-assignments', {
    application: shop.application,
    email: `guest-${process.pid}@people.example`,
    optimisticBalance: 1,
  })
  const assignment = String(assigned.body['id'])
  const tiered = await shop.api.post('/v1/loyalty/reward-tiers', {
    application: shop.application,
    name: 'Gold',
    requiredVisits: 10,
    currencyToPointRatio: 2,
  })
  const tier = String(tiered.body['id'])
  const campaign = (await createDraft(shop)).id
  const guest = { email: `guest-${process.pid}@people.example`, role: 'viewer' }
  await shop.api.post(`/v1/organizations/${shop.organization}/invitations`, guest)
  const { pointOfSale, posIds } = await createPosIds(shop)
  const claimer = createApiClient({ bearer: String(signedIn.body['token']) })
  const claim = await claimer.post('/v1/dpp/claim', { passport: passport.id })
  await waitForJob(shop.api, `/v1/jobs/${claim.body['jobId']}`)
  const draft = await buildPassport(shop, sheet)
  const credential = await createCredential(shop)
  const [mapper, imported] = [await createMapper(shop), await createImport(shop)]
  const ids = (path: string): Record<string, string> => {
    if (/^\/(v1\/(accounts|loyalty\/account)|console\/accounts)\//.test(path)) return { id: account }
    if (/^\/(v1\/account-|console\/)assignments\//.test(path)) return { id: assignment }
    if (/^\/(v1\/loyalty\/reward-|console\/)tiers\//.test(path)) return { id: tier }
    if (/^\/(v1\/loyalty|console)\/campaigns\//.test(path)) return { id: campaign }
    if (path.startsWith('/v1/points-of-sale/')) return { id: pointOfSale }
    if (path.startsWith('/v1/organizations/')) return { id: shop.organization }
    if (path.includes('/pos-integration/')) return posIds
    if (path.includes('/dpp/claim/')) return { jobId: String(claim.body['jobId']) }
    if (path.startsWith('/v1/import/mappers/')) return { id: mapper }
    if (path.startsWith('/v1/imports/')) return { id: imported }
    if (path.includes('/dpp/status-lists/')) return { id: credential.list }
    const id = path.includes('/dpp/products/') ? sheet : path.includes('ownership') ? passport.id : draft.id
    return { appId: shop.application, id, jobId: String(job.body['jobId']), sha256: credential.context }
  }
  return { shop, restaurant: posIds.restaurantId, ids, claimer }
}

/** A certified passport of the shop, and what its credential names: its context and one of its status lists. */
export async function createCredential(shop: Shop): Promise<{ passport: string; context: string; list: string }> {
  const passport = await buildCertifiedPassport(shop)
  const { text } = await createApiClient().get(getCredentialPath(passport))
  const vc = JSON.parse(text) as { '@context': string[]; credentialStatus: { statusListCredential: string }[] }
  const last = (address: string | undefined) => address?.split('/').at(-1) ?? ''
  return { passport, context: last(vc['@context'].at(-1)), list: last(vc.credentialStatus[0]?.statusListCredential) }
}
