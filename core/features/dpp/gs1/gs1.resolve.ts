import type { Statement } from '../../../database/connection.ts'
import type { Context } from '../../../kernel/work.ts'
import { findProvenOwner } from '../../applications/index.ts'
import { createDigitalLink, type DigitalLink, findGtin } from '../content/index.ts'
import { findGtinOwner } from './owners.ts'
import { findContenders, readPublisher, type Publisher } from './publishers.ts'
import { hasNoNumbers, findUnregisteredNumbers, type ScannedNumbers } from './scanned-numbers.ts'
import { type PassportStatus, readWithdrawals, type Withdrawal } from '../passports/index.ts'

/** A passport that a Digital Link may stand for. */
export interface ResolvedPassport {
  id: string
  organization: string
  status: PassportStatus
  certified: boolean
  product: Record<string, unknown>
  application: string
  applicationName: string
  /** The passport's own Digital Link. */
  anchor: string
  /** Numbers of the requested link that the maker has not registered; the link leads to the nearest known level. */
  unregistered: ScannedNumbers
  /**
   * All numbers of the requested link if some are not registered, so that the passport's page can look them up again.
   */
  scanned: ScannedNumbers
  /** Revocations and suspensions of the passport, of its batch and of its model. */
  withdrawals: readonly Withdrawal[]
}

/**
 * The passports that an organization publishes under a Digital Link: none, one, or several that the link does not
 * distinguish.
 */
export interface PublishedPassports {
  publisher: Publisher
  passports: ResolvedPassport[]
}

type ResolvedRow = Pick<
  ResolvedPassport,
  'id' | 'organization' | 'status' | 'certified' | 'product' | 'application'
> & {
  application_name: string
}

/**
 * The maximum number of rows that are read for one link, and of passports that are returned for a link with several.
 */
const linkLimits = { maxRows: 200, maxPassports: 20 }

const granularityCondition = (name: string) => `(product ->> 'idGranularity') = '${name}'`
const gtinCondition = `organization = $4::uuid and product is not null and passport_gtin(product) = $1`

/**
 * The public passports of an organization that carry the GTIN, themselves or through their batch or model, and that
 * have the numbers of the link which their granularity has. The most specific ones come first.
 */
const passportsByLink: Statement = {
  name: 'passports_by_digital_link',
  text: `
    with roots as materialized (
      select distinct organization, application from passports
      where ${gtinCondition} and (product ->> 'idGranularity') in ('model', 'batch') and status <> 'draft'
    ), named as (
      (select id from passports where ${gtinCondition} and ${granularityCondition('model')} limit ${linkLimits.maxRows})
      union
      (select id from passports where ${gtinCondition} and ${granularityCondition('batch')} and (product ->> 'itemNumber') is null
         and (product ->> 'batchNumber') = $2::text limit ${linkLimits.maxRows})
      union
      (select id from passports where ${gtinCondition} and ${granularityCondition('item')} and (product ->> 'itemNumber') = $3::text
       limit ${linkLimits.maxRows})
      union
      (select p.id from roots join passports p using (application)
       where (p.product ->> 'idGranularity') = 'batch' and (p.product ->> 'batchNumber') = $2::text
       limit ${linkLimits.maxRows})
      union
      (select p.id from roots join passports p using (organization, application)
       where (p.product ->> 'idGranularity') = 'item' and (p.product ->> 'itemNumber') = $3::text limit ${linkLimits.maxRows})
    )
    select p.id, p.organization, p.status, p.certified_at is not null as certified, p.product, p.application,
      a.name as application_name
    from named join passports p using (id) join applications a on a.id = p.application
      cross join lateral passport_parents(p.application, p.product) parents
    where p.status <> 'draft' and p.organization = $4::uuid and $1 = coalesce(passport_gtin(p.product),
        case when parents.batch_open then passport_gtin((parents.batch -> 'product')::jsonb) end,
        case when parents.model_open then passport_gtin((parents.model -> 'product')::jsonb) end)
      and ($2::text is null or (p.product ->> 'batchNumber') is null or (p.product ->> 'batchNumber') = $2::text)
    order by array_position(array['item', 'batch', 'model'], p.product ->> 'idGranularity'), p.created_at, p.id
    limit ${linkLimits.maxRows}`,
}

type ResolverContext = Pick<Context, 'db' | 'directDatabase' | 'settings'>

/**
 * Finds the passports that a Digital Link stands for. On a host that an organization has proven to own, these are that
 * organization's passports; on any other host, those of the GTIN's owner. No link leads to others who publish the GTIN,
 * such as a reseller or an impostor. There is one exception: if nothing proves the owner's right, and others who
 * publish the GTIN have proven a domain, the passports of all of them are returned, the owner's first, until the
 * operator decides.
 * @param host without port
 * @returns an empty list if nobody publishes the GTIN
 */
export async function resolveDigitalLink(
  context: ResolverContext,
  link: DigitalLink,
  host: string,
): Promise<PublishedPassports[]> {
  const {
    db,
    settings: { publicUrl },
  } = context
  const ofHost = await findProvenOwner(db, host)
  if (ofHost) return [await readPublished(context, link, ofHost.organization, `https://${host}`)]
  const owner = await findGtinOwner(db, link.gtin)
  if (!owner) return []
  const contenders = await findContenders(db, link.gtin, owner)
  const organizations = contenders.length === 0 ? [owner.organization] : contenders
  return Promise.all(organizations.map((organization) => readPublished(context, link, organization, publicUrl)))
}

async function readPublished(
  context: ResolverContext,
  link: DigitalLink,
  organization: string,
  publicUrl: string,
): Promise<PublishedPassports> {
  const [publisher, found] = await Promise.all([
    readPublisher(context.db, organization, link.gtin),
    findPublished(context, link, organization, publicUrl),
  ])
  return { publisher, passports: found }
}

/**
 * Finds the passports that an organization publishes under a Digital Link: the item with the serial number, otherwise
 * the batch with the batch number, otherwise the model. An item without a batch number matches any batch number.
 */
export async function findPublished(
  { db, directDatabase }: ResolverContext,
  link: DigitalLink,
  organization: string,
  publicUrl: string,
): Promise<ResolvedPassport[]> {
  const { gtin, batch = null, serial = null } = link
  const rows = await directDatabase.queryRows<ResolvedRow>(passportsByLink, [gtin, batch, serial, organization])
  const [best] = rows
  if (!best) return []
  const matching = rows
    .filter(({ product }) => product['idGranularity'] === best.product['idGranularity'])
    .slice(0, linkLimits.maxPassports)
  const withdrawals = await readWithdrawals(
    db,
    matching.map(({ id }) => id),
  )
  return matching.map((row) => {
    const unregistered = findUnregisteredNumbers(link, row.product)
    const scanned = hasNoNumbers(unregistered)
      ? {}
      : { ...(batch !== null && { batch }), ...(serial !== null && { serial }) }
    return {
      ...toResolvedPassport(publicUrl, row, gtin),
      unregistered,
      scanned,
      withdrawals: withdrawals.get(row.id) ?? [],
    }
  })
}

function toResolvedPassport(
  publicUrl: string,
  row: ResolvedRow,
  gtin: string,
): Omit<ResolvedPassport, 'unregistered' | 'scanned' | 'withdrawals'> {
  const { application_name: applicationName, ...rest } = row
  const anchor = createDigitalLink(publicUrl, row.product, findGtin(row.product) ?? gtin) ?? `${publicUrl}/01/${gtin}`
  return { ...rest, applicationName, anchor }
}

const parentsById: Statement = {
  name: 'passports_parents_open',
  text: `
    select p.id, p.organization, p.status, p.certified_at is not null as certified, p.product, p.application,
      '' as application_name
    from passports child cross join lateral passport_parents(child.application, child.product) parents
      cross join lateral (values
        (parents.batch ->> 'id', parents.batch_open), (parents.model ->> 'id', parents.model_open)) as parent (id, open)
      join passports p on p.id = parent.id::uuid
    where child.id = $1 and parent.open
    order by array_position(array['batch', 'model'], p.product ->> 'idGranularity')`,
}

/** Reads the batch and the model of a passport, if they are public. */
export async function findResolvedParents(
  { db, directDatabase }: ResolverContext,
  { id, anchor }: ResolvedPassport,
  gtin: string,
): Promise<ResolvedPassport[]> {
  const rows = await directDatabase.queryRows<ResolvedRow>(parentsById, [id])
  const withdrawals = await readWithdrawals(
    db,
    rows.map((row) => row.id),
  )
  return rows.map((row) => ({
    ...toResolvedPassport(new URL(anchor).origin, row, gtin),
    unregistered: {},
    scanned: {},
    withdrawals: withdrawals.get(row.id) ?? [],
  }))
}
