import type { Knex } from 'knex'
import { newId } from '../../../database/model.ts'
import type { OrganizationErasure } from '../../area.ts'

/** The point-of-sale system of an organization. Secrets are sealed. */
export interface Integration {
  id: string
  organization: string
  baseUrl: string | null
  apiKey: Buffer | null
  webhookSecret: Buffer | null
}

/** A restaurant that is bound. */
export interface BoundRestaurant {
  restaurant: string
  integration: string
  application: string
  pointOfSale: string | null
}

const integrationSql =
  'id, organization, base_url as "baseUrl", api_key as "apiKey", webhook_secret as "webhookSecret" from pos_integrations'

const restaurantSql = 'restaurant, integration, application, point_of_sale as "pointOfSale" from pos_restaurants'

/** Returns the integration of an organization, and creates it at first use. Locks it. */
export async function lockIntegration(trx: Knex, organization: string): Promise<Integration> {
  await trx.raw('insert into pos_integrations (id, organization) values (?, ?) on conflict (organization) do nothing', [
    newId(),
    organization,
  ])
  const { rows } = await trx.raw<{ rows: [Integration] }>(
    `select ${integrationSql} where organization = ? for update`,
    [organization],
  )
  return rows[0]
}

/** Finds an integration, or returns undefined if there is none, or if its organization was deleted. */
export async function findIntegration(
  db: Knex,
  by: { organization: string } | { id: string } | { restaurant: string },
): Promise<Integration | undefined> {
  const [condition, value] =
    'organization' in by
      ? ['organization = ?', by.organization]
      : 'id' in by
        ? ['id = ?', by.id]
        : ['id = (select integration from pos_restaurants where restaurant = ?)', by.restaurant]
  const { rows } = await db.raw<{ rows: Integration[] }>(
    `select ${integrationSql} where ${condition} and not is_organization_deleted(organization)`,
    [value],
  )
  return rows[0]
}

/** Changes an integration, which is locked. */
export async function updateIntegration(trx: Knex, { id, baseUrl, apiKey, webhookSecret }: Integration): Promise<void> {
  await trx.raw(
    'update pos_integrations set base_url = ?, api_key = ?, webhook_secret = ?, updated_at = now() where id = ?',
    [baseUrl, apiKey, webhookSecret, id] as Knex.RawBinding[],
  )
}

/** Lists the restaurants of an integration, in the order in which they were set. */
export async function listRestaurants(db: Knex, integration: string): Promise<BoundRestaurant[]> {
  const { rows } = await db.raw<{ rows: BoundRestaurant[] }>(
    `select ${restaurantSql} where integration = ? order by position`,
    [integration],
  )
  return rows
}

/** Finds a restaurant of an integration. */
export async function findRestaurant(
  db: Knex,
  integration: string,
  restaurant: string,
): Promise<BoundRestaurant | undefined> {
  const { rows } = await db.raw<{ rows: BoundRestaurant[] }>(
    `select ${restaurantSql} where integration = ? and restaurant = ?`,
    [integration, restaurant],
  )
  return rows[0]
}

/** Lists the restaurants with these identifiers, of all integrations. */
export async function listRestaurantsNamed(db: Knex, restaurants: readonly string[]): Promise<BoundRestaurant[]> {
  const { rows } = await db.raw<{ rows: BoundRestaurant[] }>(
    `select ${restaurantSql} where restaurant = any(?::text[])`,
    [restaurants as string[]],
  )
  return rows
}

/**
 * Replaces the restaurants of an integration, which is locked. One that stays bound keeps how far its orders are known.
 * @returns the ids of those that are another organization's; nothing may be committed then
 */
export async function replaceRestaurants(
  trx: Knex,
  integration: string,
  restaurants: readonly Omit<BoundRestaurant, 'integration'>[],
): Promise<string[]> {
  const ids = restaurants.map(({ restaurant }) => restaurant)
  await trx.raw('delete from pos_restaurants where integration = ? and restaurant <> all(?::text[])', [
    integration,
    ids,
  ])
  const { rows } = await trx.raw<{ rows: { restaurant: string }[] }>(
    `insert into pos_restaurants (restaurant, integration, application, point_of_sale, position)
     select restaurant, ?, application, point_of_sale, position
     from unnest(?::text[], ?::uuid[], ?::uuid[], ?::int[]) as wanted (restaurant, application, point_of_sale, position)
     order by restaurant
     on conflict (restaurant) do update set application = excluded.application, point_of_sale = excluded.point_of_sale,
       position = excluded.position
     where pos_restaurants.integration = excluded.integration
     returning restaurant`,
    [
      integration,
      ids,
      restaurants.map(({ application }) => application),
      restaurants.map(({ pointOfSale }) => pointOfSale),
      restaurants.map((_restaurant, at) => at),
    ] as Knex.RawBinding[],
  )
  const bound = new Set(rows.map(({ restaurant }) => restaurant))
  return ids.filter((id) => !bound.has(id))
}

/** Makes the restaurants of an integration due, whose address or key has changed: they may have failed for that. */
export async function makeRestaurantsDue(trx: Knex, integration: string): Promise<void> {
  await trx.raw('update pos_restaurants set next_sweep_at = now(), sweep_failures = 0 where integration = ?', [
    integration,
  ])
}

/** Counts the restaurants that are bound to an application. */
export async function countRestaurants(db: Knex, application: string): Promise<number> {
  const { rows } = await db.raw<{ rows: [{ count: number }] }>(
    'select count(*)::int as count from pos_restaurants where application = ?',
    [application],
  )
  return rows[0].count
}

/** A restaurant whose closed orders are to be pulled. */
export interface DueRestaurant extends BoundRestaurant {
  organization: string
  watermark: Date
}

/**
 * Takes restaurants that are due, but for those of deleted organizations, those due longest first, so that no other worker pulls them for a while.
 * @param seconds until they are due again, doubled with each failure up to an hour
 */
export async function takeDueRestaurants(db: Knex, limit: number, seconds: number): Promise<DueRestaurant[]> {
  const { rows } = await db.raw<{ rows: DueRestaurant[] }>(
    `update pos_restaurants r set next_sweep_at = now() + least(3600, ? * power(2, least(r.sweep_failures, 10))) * interval '1 second',
       sweep_failures = r.sweep_failures + 1
     from (select restaurant from pos_restaurants where next_sweep_at <= now() and not exists (
         select from pos_integrations where id = integration and is_organization_deleted(organization))
       order by next_sweep_at limit ?
       for update skip locked) due, pos_integrations i
     where r.restaurant = due.restaurant and i.id = r.integration
     returning r.restaurant, r.integration, r.application, r.point_of_sale as "pointOfSale", r.watermark, i.organization`,
    [seconds, limit],
  )
  return rows
}

/** Notes that the orders of a restaurant are known up to a time. The watermark never goes back. */
export async function recordWatermark(trx: Knex, restaurant: string, watermark: Date): Promise<void> {
  await trx.raw(
    'update pos_restaurants set watermark = greatest(watermark, ?), sweep_failures = 0 where restaurant = ?',
    [watermark.toISOString(), restaurant],
  )
}

/** Deletes the integration of a deleted organization with its secrets and its restaurants. */
export const eraseIntegration: OrganizationErasure = ({ organization, runStep }) =>
  runStep(async (trx) => {
    const { rowCount } = await trx.raw<{ rowCount: number }>('delete from pos_integrations where organization = ?', [
      organization,
    ])
    return rowCount
  })
