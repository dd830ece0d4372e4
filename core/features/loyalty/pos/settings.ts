import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { createValidationProblem, ProblemError, type Issue } from '../../../kernel/problem.ts'
import { UnavailableError } from '../../../kernel/unavailable.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { readApplication } from '../../applications/index.ts'
import { readPointsOfSale } from '../points-of-sale/index.ts'
import {
  findIntegration,
  listRestaurants,
  lockIntegration,
  makeRestaurantsDue,
  replaceRestaurants,
  updateIntegration,
  type BoundRestaurant,
  type Integration,
} from './integrations.store.ts'
import { confirmRestaurant, PosAwayError, PosRefusalError, type PosAddress } from './pos.client.ts'
import { openSecret, sealSecret, type SecretName } from './secrets.ts'
import type { PosSettings, PosSettingsPatch } from './settings.schema.ts'

/** The most restaurants that are confirmed at the same time. */
const maxConcurrentConfirmations = 5

type Restaurants = NonNullable<PosSettingsPatch['restaurants']>

/** Reads the settings of an organization. */
export async function readSettings({ trx, context }: Work, { organization }: OrganizationCaller): Promise<PosSettings> {
  const integration = await findIntegration(trx, { organization })
  if (!integration)
    return { baseUrl: null, hasApiKey: false, hasWebhookSecret: false, restaurants: [], webhookUrls: null }
  const webhooks = `${context.settings.baseUrl}/v1/loyalty/pos-integration/${integration.id}/webhooks`
  return {
    baseUrl: integration.baseUrl,
    hasApiKey: integration.apiKey !== null,
    hasWebhookSecret: integration.webhookSecret !== null,
    restaurants: (await listRestaurants(trx, integration.id)).map(({ restaurant, application, pointOfSale }) => ({
      restaurantId: restaurant,
      application,
      ...(pointOfSale !== null && { pointOfSale }),
    })),
    webhookUrls: { orderEnded: `${webhooks}/order.ended`, orderRefunded: `${webhooks}/order.refunded` },
  }
}

/** Where the system of an integration answers; null while its address or its key is not set. */
export function openPosAddress(context: Pick<Context, 'settings'>, integration: Integration): PosAddress | null {
  const { baseUrl, apiKey } = integration
  return baseUrl === null || apiKey === null
    ? null
    : { baseUrl, apiKey: openSecret(context, 'apiKey', integration, apiKey) }
}

/**
 * Lets the system confirm the restaurants that a patch binds; for all of them if its address or the key changes. Outside any
 * transaction. @throws VALIDATION_FAILED at the path of what is refused @throws UnavailableError if the system is away
 */
export async function checkSettings(
  context: Context,
  { organization }: OrganizationCaller,
  patch: PosSettingsPatch,
): Promise<void> {
  const objection = patch.baseUrl ? context.outbound.findObjection(patch.baseUrl) : undefined
  if (objection) throw createValidationProblem([{ path: 'baseUrl', code: 'blocked_address', message: objection }])
  const integration = await findIntegration(context.db, { organization })
  const bound = integration ? await listRestaurants(context.db, integration.id) : []
  const restaurants = patch.restaurants ?? bound.map(({ restaurant }) => ({ restaurantId: restaurant }))
  const issues = findRepeated(restaurants)
  if (issues.length > 0) throw createValidationProblem(issues)
  const hasNewAddress = patch.baseUrl !== undefined || patch.apiKey !== undefined
  const known = new Set(hasNewAddress ? [] : bound.map(({ restaurant }) => restaurant))
  const unconfirmed = restaurants.flatMap(({ restaurantId }, at) =>
    known.has(restaurantId) ? [] : [{ restaurantId, at }],
  )
  if (unconfirmed.length === 0) return
  const baseUrl = patch.baseUrl === undefined ? (integration?.baseUrl ?? null) : patch.baseUrl
  const apiKey = patch.apiKey === undefined ? openKey(context, integration) : patch.apiKey
  if (baseUrl === null || apiKey === null)
    throw createValidationProblem([
      { path: 'restaurants', code: 'not_configured', message: 'need the baseUrl and the apiKey of the POS' },
    ])
  await confirmAll(context, { baseUrl, apiKey }, unconfirmed)
}

const openKey = (context: Context, integration: Integration | undefined): string | null =>
  integration?.apiKey ? openSecret(context, 'apiKey', integration, integration.apiKey) : null

function findRepeated(restaurants: readonly { restaurantId: string }[]): Issue[] {
  const seen = new Set<string>()
  return restaurants.flatMap(({ restaurantId }, at) => {
    const isRepeated = seen.has(restaurantId)
    seen.add(restaurantId)
    return isRepeated ? [{ path: `restaurants.${at}.restaurantId`, code: 'repeated', message: 'is named twice' }] : []
  })
}

async function confirmAll(
  { outbound }: Context,
  pos: PosAddress,
  unconfirmed: readonly { restaurantId: string; at: number }[],
): Promise<void> {
  const issues: Issue[] = []
  for (let from = 0; from < unconfirmed.length; from += maxConcurrentConfirmations) {
    const chunk = unconfirmed.slice(from, from + maxConcurrentConfirmations)
    const found = await Promise.all(chunk.map(({ restaurantId, at }) => findRefusal(outbound, pos, restaurantId, at)))
    issues.push(...found.flatMap((issue) => issue ?? []))
  }
  if (issues.length > 0) throw createValidationProblem(issues)
}

async function findRefusal(
  outbound: Context['outbound'],
  pos: PosAddress,
  restaurant: string,
  at: number,
): Promise<Issue | null> {
  try {
    await confirmRestaurant(outbound, pos, restaurant)
    return null
  } catch (error) {
    if (error instanceof PosAwayError)
      throw new UnavailableError('The point-of-sale system does not answer now. Nothing was changed.', { cause: error })
    if (!(error instanceof PosRefusalError)) throw error
    return {
      path: `restaurants.${at}.restaurantId`,
      code: 'refused',
      message: 'is refused by the point-of-sale system with this key',
    }
  }
}

/**
 * Changes the settings of an organization, whose restaurants the system has confirmed before.
 * @throws VALIDATION_FAILED for an application or point of sale that the organization does not have, or a restaurant that
 * is bound elsewhere, without a word of where
 */
export async function changeSettings(
  work: Work,
  caller: OrganizationCaller,
  { baseUrl, apiKey, webhookSecret, restaurants }: PosSettingsPatch,
): Promise<PosSettings> {
  const { trx, context } = work
  const integration = await lockIntegration(trx, caller.organization)
  // What is the same already stays as it is, so that a repeated call changes nothing.
  const seal = (name: SecretName, secret: string | null | undefined) => {
    const kept = integration[name]
    if (secret === undefined || secret === null) return secret === null ? null : kept
    const isSame = kept !== null && openSecret(context, name, integration, kept) === secret
    return isSame ? kept : sealSecret(context, name, integration, secret)
  }
  const changed: Integration = {
    ...integration,
    baseUrl: baseUrl === undefined ? integration.baseUrl : baseUrl,
    apiKey: seal('apiKey', apiKey),
    webhookSecret: seal('webhookSecret', webhookSecret),
  }
  const hasNewAddress = changed.baseUrl !== integration.baseUrl || changed.apiKey !== integration.apiKey
  if (hasNewAddress || changed.webhookSecret !== integration.webhookSecret) await updateIntegration(trx, changed)
  if (restaurants) await bindRestaurants(work, integration, restaurants)
  if (baseUrl !== undefined || apiKey !== undefined) await makeRestaurantsDue(trx, integration.id)
  return readSettings(work, caller)
}

async function bindRestaurants(work: Work, { id, organization }: Integration, restaurants: Restaurants): Promise<void> {
  const issues = await findTargetIssues(work, organization, restaurants)
  if (issues.length > 0) throw createValidationProblem(issues)
  const wanted = restaurants.map(
    ({ restaurantId, application, pointOfSale }): Omit<BoundRestaurant, 'integration'> => ({
      restaurant: restaurantId,
      application,
      pointOfSale: pointOfSale ?? null,
    }),
  )
  const taken = new Set(await replaceRestaurants(work.trx, id, wanted))
  if (taken.size === 0) return
  throw createValidationProblem(
    restaurants.flatMap(({ restaurantId }, at) =>
      taken.has(restaurantId)
        ? [{ path: `restaurants.${at}.restaurantId`, code: 'taken', message: 'is bound already' }]
        : [],
    ),
  )
}

/** Finds restaurants whose application or point of sale the organization does not have. */
async function findTargetIssues(work: Work, organization: string, restaurants: Restaurants): Promise<Issue[]> {
  const applications = new Map<string, boolean>()
  // In one order, because the rows are locked.
  for (const id of [...new Set(restaurants.map(({ application }) => application))].sort())
    applications.set(id, await hasApplication(work, id))
  const ids = restaurants.flatMap(({ pointOfSale }) => pointOfSale ?? [])
  const pointsOfSale = new Map((await readPointsOfSale(work.trx, organization, ids)).map((one) => [one.id, one]))
  return restaurants.flatMap(({ application, pointOfSale }, at): Issue[] => {
    const path = `restaurants.${at}`
    if (applications.get(application) !== true)
      return [{ path: `${path}.application`, code: 'unknown', message: 'is no application of the organization' }]
    if (pointOfSale === undefined || pointsOfSale.get(pointOfSale)?.application === application) return []
    return [{ path: `${path}.pointOfSale`, code: 'unknown', message: 'is no point of sale of the application' }]
  })
}

async function hasApplication(work: Work, id: string): Promise<boolean> {
  try {
    await readApplication(work, id, { lock: 'forKeyShare' })
    return true
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'NOT_FOUND') return false
    throw error
  }
}
