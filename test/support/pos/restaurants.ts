import { randomUUID } from 'node:crypto'
import { readPlatformSecret } from '../../core/certification/keys/keys.ts'
import { isObject, parseJson } from '../../../core/kernel/json/values.ts'
import { createApiClient, type Client } from '../client.ts'
import { startSecondServer } from '../network/second-server.ts'
import { platform } from '../platform.ts'
import type { Tenant } from '../world.ts'
import { startPos, type StandIn } from './pos.ts'

/** A stand-in of a POS, and an API process beside the platform's own that may call it. */
export interface PosStage {
  pos: StandIn
  /** Address of the process. */
  api: string
  stop(): Promise<void>
}

/**
 * Starts a stand-in of a POS with an API process that may call it: others call no address of this machine.
 * @param env more settings of the process
 */
export async function startPosStage(env: NodeJS.ProcessEnv = {}): Promise<PosStage> {
  const pos = await startPos()
  const server = await startSecondServer(platform, {
    BASE_URL: platform.api,
    OUTBOUND_ALLOW: pos.host,
    KEY_ENCRYPTION_KEY: readPlatformSecret(),
    ...env,
  })
  return {
    pos,
    api: server.api,
    async stop() {
      server.kill()
      await server.ended
      await pos.stop()
    },
  }
}

export const settingsPath = '/v1/loyalty/pos-integration/settings'
/** The secret by which the stand-in signs what it sends. */
export const webhookSecret = 'secret-of-the-webhooks'

/** A restaurant that is bound to the stand-in. */
export interface BoundRestaurant {
  integrationId: string
  restaurantId: string
  pointOfSale: string
  urls: { orderEnded: string; orderRefunded: string }
  /** A client of the organization whose API may call the POS. */
  api: Client
}

/** Binds a new restaurant to an application, with a point of sale. @param base of an API that may call the POS */
export async function bindRestaurant(
  pos: StandIn,
  base: string,
  { application, key }: Pick<Tenant, 'application' | 'key'>,
): Promise<BoundRestaurant> {
  const api = createApiClient(key, base)
  const made = await api.post('/v1/points-of-sale', { application, name: 'Centre', timeZone: 'Europe/Rome' })
  const pointOfSale = String(made.body['id'])
  const restaurantId = `R-${randomUUID()}`
  pos.restaurants.add(restaurantId)
  const bound = await api.patch(settingsPath, {
    baseUrl: pos.address,
    apiKey: pos.apiKey,
    webhookSecret,
    restaurants: [{ restaurantId, application, pointOfSale }],
  })
  if (bound.status !== 200) throw new Error(`The restaurant is not bound: ${bound.status} ${bound.text}`)
  const { webhookUrls: urls } = bound.body as unknown as { webhookUrls: BoundRestaurant['urls'] }
  const integrationId = /pos-integration\/([0-9a-f-]{36})\//.exec(urls.orderEnded)?.[1] ?? ''
  return { integrationId, restaurantId, pointOfSale, urls, api }
}

/** Returns whether a body names a restaurant, which says who signs it where the path does not. */
export function namesRestaurant(body: string, restaurant: string): boolean {
  const value = parseJson(body)
  return isObject(value) && value['restaurantId'] === restaurant
}
