import type { Statement } from '../../database/connection.ts'
import type { Context } from '../../kernel/work.ts'
import { findProvenOwner } from '../applications/index.ts'
import { digitalLinkOf, gtinOf, type DigitalLink } from './gs1.ts'
import type { PassportStatus } from './passports.schema.ts'

/** A passport that a Digital Link may mean. */
export interface Resolved {
  id: string
  status: PassportStatus
  certified: boolean
  product: Record<string, unknown>
  application: string
  applicationName: string
  /** Where it resolves itself. */
  anchor: string
}

interface Row {
  id: string
  status: PassportStatus
  certified: boolean
  product: Record<string, unknown>
  application: string
  application_name: string
  /** Whether the host is proven as the organization's. */
  own: boolean
}

/** Passports that are looked at for one link, and those told where it means several. */
const most = { looked: 200, told: 20 }

const granularity = (name: string) => `(product ->> 'idGranularity') = '${name}'`
const ofGtin = `product is not null and passport_gtin(product) = $1`

/**
 * Every public passport that carries the GTIN, itself or by its batch or model, and of the numbers of the link those
 * that its granularity has; the most specific ones first, those of the asked host before all others.
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
    select p.id, p.status, p.certified_at is not null as certified, p.product, p.application,
      a.name as application_name, coalesce(p.organization = $4::uuid, false) as own
    from named join passports p using (id) join applications a on a.id = p.application
      cross join lateral passport_parents(p.application, p.product) parents
    where p.status <> 'draft' and $1 = coalesce(passport_gtin(p.product),
        case when parents.batch_open then passport_gtin((parents.batch -> 'product')::jsonb) end,
        case when parents.model_open then passport_gtin((parents.model -> 'product')::jsonb) end)
      and ($2::text is null or (p.product ->> 'batchNumber') is null or (p.product ->> 'batchNumber') = $2::text)
    order by own desc, array_position(array['item', 'batch', 'model'], p.product ->> 'idGranularity'), p.created_at,
      p.id
    limit ${most.looked}`,
}

/**
 * What a Digital Link means here: the item with its serial number, else the batch with its number, else the model. An
 * item without a batch is also the one of a link that names a batch. Passports of whoever has proven the host come
 * before all others, so that nobody else's product stands behind a brand's own address.
 * @param host without port, in small letters
 * @returns none, one, or those that the link does not tell apart
 */
export async function resolveDigitalLink(
  { db, direct, settings }: Pick<Context, 'db' | 'direct' | 'settings'>, link: DigitalLink, host: string,
): Promise<Resolved[]> {
  const owner = await findProvenOwner(db, host)
  const numbers = [link.gtin, link.batch ?? null, link.serial ?? null]
  const rows = await direct.rows<Row>(passportsByLink, [...numbers, owner?.organization ?? null])
  const [best] = rows
  if (!best) return []
  return rows
    .filter(({ own, product }) => own === best.own && product['idGranularity'] === best.product['idGranularity'])
    .slice(0, most.told)
    .map((row) => resolved(settings.publicUrl, row, link.gtin))
}

function resolved(publicUrl: string, told: Row, gtin: string): Resolved {
  const { application_name: applicationName, own: _, ...row } = told
  const anchor = digitalLinkOf(publicUrl, row.product, gtinOf(row.product) ?? gtin) ?? `${publicUrl}/01/${gtin}`
  return { ...row, applicationName, anchor }
}

const parentsById: Statement = {
  name: 'passports_parents_open',
  text: `
    select p.id, p.status, p.certified_at is not null as certified, p.product, p.application, '' as application_name,
      false as own
    from passports child cross join lateral passport_parents(child.application, child.product) parents
      cross join lateral (values
        (parents.batch ->> 'id', parents.batch_open), (parents.model ->> 'id', parents.model_open)) as parent (id, open)
      join passports p on p.id = parent.id::uuid
    where child.id = $1 and parent.open
    order by array_position(array['batch', 'model'], p.product ->> 'idGranularity')`,
}

/** The passport's batch and model, where everybody may see them. */
export async function resolvedParents(
  { direct, settings }: Pick<Context, 'direct' | 'settings'>, { id }: Resolved, gtin: string,
): Promise<Resolved[]> {
  return (await direct.rows<Row>(parentsById, [id])).map((row) => resolved(settings.publicUrl, row, gtin))
}
