import type { Statement } from '../../database/connection.ts'
import type { Context } from '../../kernel/work.ts'
import { findProvenOwner } from '../applications/index.ts'
import { digitalLinkOf, gtinOf, type DigitalLink } from './gs1.ts'
import { findGtinOwner } from './gtins/owners.ts'
import { findContenders, readPublisher, type Publisher } from './gtins/publishers.ts'
import { isEmpty, unregisteredNumbers, type ScannedNumbers } from './gtins/scanned.ts'
import type { PassportStatus } from './passports.schema.ts'
import { withdrawalsOf, type Withdrawal } from './withdrawals/withdrawals.ts'

/** A passport that a Digital Link may mean. */
export interface Resolved {
  id: string
  organization: string
  status: PassportStatus
  certified: boolean
  product: Record<string, unknown>
  application: string
  applicationName: string
  /** Where it resolves itself. */
  anchor: string
  /** Numbers of the link that the maker has not registered: it leads to the nearest known level. */
  unregistered: ScannedNumbers
  /** All numbers of the link, where some are not registered: its page looks them up again. */
  scanned: ScannedNumbers
  /** What the maker has revoked or suspended of it, of its batch and of its model. */
  withdrawals: readonly Withdrawal[]
}

/** What an organization publishes under a Digital Link: nothing, one passport, or those that the link does not tell apart. */
export interface Published { publisher: Publisher; found: Resolved[] }

type Row = Pick<Resolved, 'id' | 'organization' | 'status' | 'certified' | 'product' | 'application'> & { application_name: string }

/** Passports that are looked at for one link, and those told where it means several. */
const most = { looked: 200, told: 20 }

const granularity = (name: string) => `(product ->> 'idGranularity') = '${name}'`
const ofGtin = `organization = $4::uuid and product is not null and passport_gtin(product) = $1`

/**
 * Every public passport of an organization that carries the GTIN, itself or by its batch or model, and of the numbers
 * of the link those that its granularity has; the most specific ones first.
 */
const passportsByLink: Statement = {
  name: 'passports_by_digital_link',
  text: `
    with roots as materialized (
      select distinct organization, application from passports
      where ${ofGtin} and (product ->> 'idGranularity') in ('model', 'batch') and status <> 'draft'
    ), named as (
      (select id from passports where ${ofGtin} and ${granularity('model')} limit ${most.looked})
      union
      (select id from passports where ${ofGtin} and ${granularity('batch')} and (product ->> 'itemNumber') is null
         and (product ->> 'batchNumber') = $2::text limit ${most.looked})
      union
      (select id from passports where ${ofGtin} and ${granularity('item')} and (product ->> 'itemNumber') = $3::text
       limit ${most.looked})
      union
      (select p.id from roots join passports p using (application)
       where (p.product ->> 'idGranularity') = 'batch' and (p.product ->> 'batchNumber') = $2::text
       limit ${most.looked})
      union
      (select p.id from roots join passports p using (organization, application)
       where (p.product ->> 'idGranularity') = 'item' and (p.product ->> 'itemNumber') = $3::text limit ${most.looked})
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
    limit ${most.looked}`,
}

type Asking = Pick<Context, 'db' | 'direct' | 'settings'>

/**
 * Finds what a Digital Link means here, and whose: on a host that an organization has proven to be its own that
 * organization's passports, on any other host those of the GTIN's owner. Whoever else publishes the GTIN, a reseller
 * or an impostor, is led to by nobody. Only where nothing of the owner is proven and others that publish it have
 * proven a domain are all of them answered, the owner first, until the operator decides.
 * @param host without port
 * @returns none where nobody publishes the GTIN
 */
export async function resolveDigitalLink(context: Asking, link: DigitalLink, host: string): Promise<Published[]> {
  const { db, settings: { publicUrl } } = context
  const ofHost = await findProvenOwner(db, host)
  if (ofHost) return [await publishedBy(context, link, ofHost.organization, `https://${host}`)]
  const owner = await findGtinOwner(db, link.gtin)
  if (!owner) return []
  const contenders = await findContenders(db, link.gtin, owner)
  const organizations = contenders.length === 0 ? [owner.organization] : contenders
  return Promise.all(organizations.map((organization) => publishedBy(context, link, organization, publicUrl)))
}

async function publishedBy(
  context: Asking, link: DigitalLink, organization: string, publicUrl: string,
): Promise<Published> {
  const [publisher, found] = await Promise.all([
    readPublisher(context.db, organization, link.gtin), findPublished(context, link, organization, publicUrl)])
  return { publisher, found }
}

/**
 * Finds what an organization publishes under a Digital Link: the item with its serial number, else the batch with its
 * number, else the model. An item without a batch is also the one of a link that names a batch.
 */
export async function findPublished(
  { db, direct }: Asking, link: DigitalLink, organization: string, publicUrl: string,
): Promise<Resolved[]> {
  const { gtin, batch = null, serial = null } = link
  const rows = await direct.rows<Row>(passportsByLink, [gtin, batch, serial, organization])
  const [best] = rows
  if (!best) return []
  const told = rows.filter(({ product }) => product['idGranularity'] === best.product['idGranularity']).slice(0, most.told)
  const withdrawals = await withdrawalsOf(db, told.map(({ id }) => id))
  return told.map((row) => {
    const unregistered = unregisteredNumbers(link, row.product)
    const scanned = isEmpty(unregistered) ? {} : { ...(batch !== null && { batch }), ...(serial !== null && { serial }) }
    return { ...resolved(publicUrl, row, gtin), unregistered, scanned, withdrawals: withdrawals.get(row.id) ?? [] }
  })
}

function resolved(publicUrl: string, row: Row, gtin: string): Omit<Resolved, 'unregistered' | 'scanned' | 'withdrawals'> {
  const { application_name: applicationName, ...rest } = row
  const anchor = digitalLinkOf(publicUrl, row.product, gtinOf(row.product) ?? gtin) ?? `${publicUrl}/01/${gtin}`
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

/** Reads the passport's batch and model, where everybody may see them. */
export async function resolvedParents(
  { db, direct }: Asking, { id, anchor }: Resolved, gtin: string,
): Promise<Resolved[]> {
  const rows = await direct.rows<Row>(parentsById, [id])
  const withdrawals = await withdrawalsOf(db, rows.map((row) => row.id))
  return rows.map((row) => ({
    ...resolved(new URL(anchor).origin, row, gtin), unregistered: {}, scanned: {}, withdrawals: withdrawals.get(row.id) ?? [],
  }))
}
