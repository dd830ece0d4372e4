import { createDraft } from '../core/loyalty/campaigns/fixtures.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiClient, type Client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { enablePhones, createEmail, signInBuyer, signInMember } from '../core/identity/people.ts'
import {
  buildApplication,
  buildMember,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../support/world.ts'
import { createImport, createMapper } from '../core/imports/intake/intake.maker.ts'
import { createSerial, getBody, waitForJob } from '../core/dpp/passports/fixtures.ts'
import { createGtin } from '../core/dpp/gs1/gtin-values.ts'
import { createPublishedProduct } from '../core/dpp/gs1/gtins.ts'
import { createCredential } from '../access/tenants.ts'
import { bindRestaurant, settingsPath, startPosStage, webhookSecret } from '../support/pos/restaurants.ts'
import { signBodies } from '../support/pos/signing.ts'
import { endsSession, type Call, type CallerName } from './calls.ts'

/** An organization of the test's own, with something of everything that a path can name. */
export interface Stage {
  shop: Shop
  /** Makes anew what writes may have spoiled. */
  refresh(): Promise<void>
  /** A text with the names in double braces filled in. */
  fill(text: string, call: Call): string
  clientFor(call: Call): Client
  /** Texts that no answer may hold, and texts that no answer to strangers may hold. */
  secrets: readonly string[]
  personal: readonly string[]
  /** The identifier of the restaurant that is bound to a POS. */
  restaurant: string
  close(): Promise<void>
}

/** A mapper of items, as the samples of bodies go through. */
const items = { format: 'json', rows: [{ destination: 'reference', kind: 'field', source: '$.reference' }] }

const token = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1)

/** A GTIN that another organization has published. */
async function gtinOfAnother(): Promise<string> {
  const gtin = createGtin()
  await createPublishedProduct(await buildShop(), { idGranularity: 'model', modelNumber: gtin, gtin })
  return gtin
}

/** Finds the membership of a person. @returns it */
async function findMember({ api, organization }: Shop, email: string): Promise<string> {
  const found = await api.get(`/v1/organizations/${organization}/members?filters[user.email][eq]=${email}`)
  return String(getBody<{ data: { id: string }[] }>(found).data[0]?.id)
}

/** Finds an invitation that can be accepted: only so many can be open at a time. */
async function findOpenInvitation({ api, organization }: Shop): Promise<string | undefined> {
  const found = await api.get(`/v1/organizations/${organization}/invitations?filters[status][eq]=pending`)
  return getBody<{ data: { id: string }[] }>(found).data[0]?.id
}

/** Creates a tier of the shop. @returns its id */
async function createTier({ api, application }: Shop): Promise<string> {
  const body = { application, name: 'Gold', requiredVisits: 5, currencyToPointRatio: 1 }
  return String((await api.post('/v1/loyalty/reward-tiers', body)).body['id'])
}

/** Invites a person. @returns the invitation */
async function invite({ api, organization }: Shop): Promise<string> {
  const made = await api.post(`/v1/organizations/${organization}/invitations`, { email: createEmail(), role: 'viewer' })
  return String(made.body['id'])
}

export async function openStage(): Promise<Stage> {
  const shop = await buildShop()
  const { organization, application, api } = shop
  await enablePhones(organization)
  const email = createEmail('fuzz-buyer')
  const member = createEmail('fuzz-member')
  const [claim, spare] = [await signInBuyer(application, email), await signInBuyer(application)]
  const buyer = createApiClient({ bearer: String(claim.body['token']) })
  const memberCookie = await signInMember(await buildMember(organization, 'owner'), organization)
  const sheet = await buildSheet(shop)
  const mint = await api.post(`/v1/dpp/products/${sheet}/mint`, [
    { serialNumber: createSerial() },
    { serialNumber: createSerial() },
  ])
  await waitForJob(api, `/v1/jobs/${mint.body['jobId']}`)
  const claimed = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: email })
  const started = await buyer.post('/v1/dpp/claim', { passport: claimed.id })
  await waitForJob(buyer, `/v1/jobs/${started.body['jobId']}`)
  const published = await buildPublishedPassport(shop, sheet, { allowedClaimEmail: member })
  const certified = await createCredential(shop)
  const { pos, api: posApi, stop: close } = await startPosStage()
  const bound = await bindRestaurant(pos, posApi, shop)
  const fixed: Record<string, string> = {
    integration: bound.integrationId,
    restaurant: bound.restaurantId,
    pointOfSale: bound.pointOfSale,
    tier: await createTier(shop),
    campaign: (await createDraft(shop)).id,
    posAddress: pos.address,
    posKey: pos.apiKey,
    webhookSecret,
    certified: certified.passport,
    context: certified.context,
    statusList: certified.list,
    organization,
    application,
    sheet,
    published: published.id,
    mintJob: String(mint.body['jobId']),
    claimJob: String(started.body['jobId']),
    mapper: await createMapper(shop, items),
    import: await createImport(shop),
    gtin: await gtinOfAnother(),
    issuer: String((await api.get('/v1/dpp/certification-key')).body['did']),
  }
  const refresh = async () => {
    fixed['spareApplication'] = await buildApplication(organization)
    fixed['spareSheet'] = await buildSheet(shop)
    fixed['spareMapper'] = await createMapper(shop, items)
    fixed['draft'] = (await buildPassport(shop, sheet)).id
    fixed['spareCampaign'] = (await createDraft(shop)).id
    fixed['sparePointOfSale'] = await createPointOfSale(shop)
    fixed['spareMember'] = await findMember(shop, await buildMember(organization, 'viewer'))
    fixed['spareInvitation'] = (await findOpenInvitation(shop)) ?? (await invite(shop))
    await bound.api.patch(settingsPath, {
      baseUrl: pos.address,
      apiKey: pos.apiKey,
      webhookSecret,
      restaurants: [{ restaurantId: bound.restaurantId, application, pointOfSale: bound.pointOfSale }],
    })
    fixed['certificationKey'] = String((await api.get('/v1/dpp/certification-key')).body['id'])
  }
  await refresh()
  await createImport(shop)
  const createClients = (base: string): Record<CallerName, Client> => ({
    nobody: createApiClient({}, base),
    key: createApiClient(shop.key, base),
    buyer: createApiClient({ bearer: String(claim.body['token']) }, base),
    member: createApiClient({ bearer: token(memberCookie) }, base),
  })
  // Only the second API process may call the POS.
  const [clients, clientsOfPos] = [createClients(platform.api), createClients(posApi)]
  const cursors = await readCursors(api)
  return {
    shop,
    refresh,
    fill: (text, call) => fillIn(text, fixed, cursors.get(listOf(call)) ?? ''),
    clientFor: (call) => {
      if (endsSession(call)) return createApiClient({ bearer: String(spare.body['token']) })
      if (!call.target.path.includes('/pos-integration/')) return clients[call.as]
      return call.target.isSigned ? signBodies(clientsOfPos[call.as], webhookSecret) : clientsOfPos[call.as]
    },
    restaurant: bound.restaurantId,
    close,
    secrets: [
      webhookSecret,
      pos.apiKey,
      ...platformSecrets(),
      shop.key,
      token(memberCookie),
      String(claim.body['token']),
      String(spare.body['token']),
    ],
    personal: [email, member, shop.owner],
  }
}

async function createPointOfSale({ api, application }: Shop): Promise<string> {
  const { status, body, text } = await api.post('/v1/points-of-sale', { application, name: 'Spare', timeZone: 'UTC' })
  if (status !== 201) throw new Error(`A point of sale is not made: ${status} ${text}`)
  return String(body['id'])
}

let count = 0

function fillIn(text: string, fixed: Record<string, string>, fingerprint: string): string {
  return text.replace(/\{\{(\w+)(?::([\w-]*))?\}\}/g, (whole, name: string, more?: string) => {
    if (Object.hasOwn(fixed, name)) return fixed[name] ?? whole
    if (name === 'serial') return createSerial()
    if (name === 'slug') return `fuzz-${process.pid}-${Date.now().toString(36)}-${count++}`
    if (name === 'email') return createEmail('fuzz')
    if (name === 'phone') return `333${String(1_000_000 + ((count++ + process.pid * 977) % 8_999_999))}`
    return name === 'cursor' ? cursorOf(fingerprint, more ?? '') : whole
  })
}

/** A cursor with the fingerprint of a real one and other values. What was cut in the middle is sent as it is. */
function cursorOf(fingerprint: string, encoded: string): string {
  let values: unknown
  try {
    values = JSON.parse(Buffer.from(encoded, 'base64url').toString())
  } catch {
    return encoded
  }
  return Buffer.from(JSON.stringify([fingerprint, ...(values as unknown[])]))
    .toString('base64url')
    .slice(0, 4_000)
}

const listOf = ({ target }: Call) => target.path.replace(/\/publish$/, '')

/** What the cursors of each list begin with. */
async function readCursors(api: Client): Promise<ReadonlyMap<string, string>> {
  const paths = [
    '/v1/imports',
    '/v1/import/mappers',
    '/v1/applications',
    '/v1/dpp/passports',
    '/v1/dpp/products',
    '/v1/events',
  ]
  const found = await Promise.all(
    paths.map(async (path) => {
      const { body } = await api.get(`${path}?pageSize=1`)
      const values = JSON.parse(Buffer.from(String(body['nextCursor']), 'base64url').toString()) as string[]
      return [path, String(values[0])] as const
    }),
  )
  return new Map(found)
}

/** The secrets that a platform of ours makes for itself. */
function platformSecrets(): string[] {
  return ['secrets.json', 'postgres.json'].flatMap((name) =>
    Object.entries(JSON.parse(readFileSync(join(platform.dataDir, name), 'utf8')) as Record<string, string>)
      .filter(([key]) => key !== 'id')
      .map(([, value]) => value),
  )
}
