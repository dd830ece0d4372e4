import { actions, resources, type PermissionMap } from '../../core/kernel/permission.ts'
import { client, type Client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { credentialAt, newCertified } from '../core/certification/certified.ts'
import { newImport, newMapper } from '../core/imports/intake.maker.ts'
import { ended, newPassport, newPublished, newSheet, newShop, type Shop } from '../core/passports/fixtures.ts'
import {
  newApplication,
  newKey,
  newMember,
  newTenant,
  operator,
  signInBuyer,
  signInMember,
} from '../core/identity/people.ts'
import { revokeKey } from '../../core/features/identity/index.ts'

/** Somebody who calls. `permissions` is what a key or role may do; null for who has none by kind. */
export interface Character {
  name: string
  kind: 'anonymous' | 'key' | 'member' | 'endUser' | 'invalid'
  api: Client
  permissions: PermissionMap | null
  foreign?: true
}

/** What there is to reach for, by the names that paths use. */
export interface Stage {
  shop: Shop
  ids(path: string): Record<string, string>
  cast: Character[]
  claimer: Client
}

const origin = () => ({ origin: new URL(platform.api).origin })

/** A client whose writes come from our own pages. */
function ofPage(cookie: string): Client {
  const plain = client({ cookie })
  const send: Client['send'] = (method, path, body, options = {}) =>
    plain.send(method, path, body, { ...options, headers: { ...origin(), ...options.headers } })
  return { ...plain, send }
}

/** One organization with something of everything, and everybody who may or may not reach for it. */
export async function setStage(): Promise<Stage> {
  const shop = await newShop()
  const sheet = await newSheet(shop)
  await shop.api.patch(`/v1/applications/${shop.application}`, { domains: [`shop-${process.pid}.example`] })
  const job = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'M-1' }])
  await ended(shop.api, `/v1/jobs/${job.body['jobId']}`)
  const email = `claimer-${process.pid}@people.example`
  const passport = await newPublished(shop, sheet, { allowedClaimEmail: email })
  const claimer = client({ bearer: String((await signInBuyer(shop.application, email)).body['token']) })
  const claim = await claimer.post('/v1/dpp/claim', { passport: passport.id })
  await ended(shop.api, `/v1/jobs/${claim.body['jobId']}`)
  const draft = await newPassport(shop, sheet)
  const credential = await credentialOf(shop)
  const [mapper, imported] = [await newMapper(shop), await newImport(shop)]
  const ids = (path: string): Record<string, string> => {
    if (path.includes('/dpp/claim/')) return { jobId: String(claim.body['jobId']) }
    if (path.startsWith('/v1/import/mappers/')) return { id: mapper }
    if (path.startsWith('/v1/imports/')) return { id: imported }
    if (path.includes('/dpp/status-lists/')) return { id: credential.list }
    const id = path.includes('/dpp/products/') ? sheet : path.includes('ownership') ? passport.id : draft.id
    return { appId: shop.application, id, jobId: String(job.body['jobId']), sha256: credential.context }
  }
  return { shop, ids, claimer, cast: await castOf(shop) }
}

/** A certified passport of the shop, and what its credential names: its context and one of its status lists. */
export async function credentialOf(shop: Shop): Promise<{ passport: string; context: string; list: string }> {
  const passport = await newCertified(shop)
  const { text } = await client().get(credentialAt(passport))
  const vc = JSON.parse(text) as { '@context': string[]; credentialStatus: { statusListCredential: string }[] }
  const last = (address: string | undefined) => address?.split('/').at(-1) ?? ''
  return { passport, context: last(vc['@context'].at(-1)), list: last(vc.credentialStatus[0]?.statusListCredential) }
}

async function castOf(shop: Shop): Promise<Character[]> {
  const { organization } = shop
  const pairs = resources.flatMap((resource) => actions.map((action) => [resource, action] as const))
  const key = async (name: string, permissions: PermissionMap): Promise<Character> => ({
    name,
    kind: 'key',
    api: client((await newKey(organization, permissions)).key),
    permissions,
  })
  const made = await Promise.all(
    pairs.map(([resource, action]) => key(`a key of ${resource}:${action}`, { [resource]: [action] })),
  )
  const expired = await newKey(organization, { dpp: ['read'] }, new Date(Date.now() + 1_000))
  const revoked = await newKey(organization, { dpp: ['read'] })
  await revokeKey(await operator(), revoked.id)
  const foreign = await newTenant()
  const viewer = await signInMember(await newMember(organization, 'viewer'), organization)
  const neighbour = await signInBuyer(await newApplication(organization))
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const invalid = (name: string, secret: string): Character => ({
    name,
    kind: 'invalid',
    api: client(secret),
    permissions: null,
  })
  return [
    { name: 'nobody', kind: 'anonymous', api: client(), permissions: null },
    ...made,
    await key('a key of none', {}),
    { name: 'a key of another organization', kind: 'key', api: client(foreign.key), permissions: null, foreign: true },
    invalid('an expired key', expired.key),
    invalid('a revoked key', revoked.key),
    {
      name: 'a viewer',
      kind: 'member',
      api: ofPage(viewer),
      permissions: { organization: ['read'], application: ['read'], dpp: ['read'], loyalty: ['read'] },
    },
    {
      name: "another application's buyer",
      kind: 'endUser',
      api: client({ bearer: String(neighbour.body['token']) }),
      permissions: null,
    },
    invalid('a malformed key', 'tsr_test_short'),
  ]
}
