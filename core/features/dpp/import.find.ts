import type { Knex } from 'knex'
import { identityKey, modelIdentity, referenceKey, type Identity } from './import.keys.ts'
import { KnownParents } from './import.known.ts'

/** A passport that is there. `product` as JSON text, of what can be a parent; `version` changes whenever it does. */
export interface Found { id: string; product: string | null; version?: string }

/** What to look for: references, and identities by their keys. */
export interface Wanted {
  references: Set<string>
  identities: Map<string, Identity>
}

/** A batch that is named by its number alone, and its model where that is there. */
export interface LooseBatch extends Found { model: string | null }

/**
 * What of an application is there already, by key, in one statement. Each kind of identity is looked up by all columns
 * of passports_identity_unique; `offset 0` keeps it a look-up for each row, whatever the planner believes of the table.
 */
export async function findTaken(trx: Knex, application: string, wanted: Wanted): Promise<Map<string, Found>> {
  const parts: string[] = []
  const bindings: unknown[] = []
  const keys: string[] = []
  const numbered = (key: string) => keys.push(key) - 1
  if (wanted.references.size > 0) {
    parts.push(`select w.at, p.id, null as product, null as version from unnest(?::int[], ?::text[]) as w (at, reference), lateral (
      select id from passports where application = ? and reference = w.reference offset 0) p`)
    const references = [...wanted.references]
    bindings.push(references.map((reference) => numbered(referenceKey(reference))), references, application)
  }
  for (const [shape, members] of Map.groupBy(wanted.identities.values(), shapeOf)) {
    parts.push(identityQuery(shape))
    bindings.push(
      members.map((identity) => numbered(identityKey(identity))),
      ...[1, 2, 3].map((at) => members.map((identity) => identity[at] ?? null)), application)
  }
  if (parts.length === 0) return new Map()
  const { rows } = await trx.raw<{ rows: (Found & { at: number })[] }>(
    parts.join(' union all '), bindings as Knex.RawBinding[])
  return new Map(rows.map(({ at, ...found }) => [keys[at] ?? '', found]))
}

/** Granularity, and which of its numbers it has. */
const shapeOf = ([granularity, ...numbers]: Identity) =>
  `${granularity}${numbers.map((number) => (number === null ? '-' : '+')).join('')}`

function identityQuery(shape: string): string {
  const [, granularity, marks = ''] = /^([a-z]+)([-+]{3})$/.exec(shape) ?? []
  const conditions = ['modelNumber', 'batchNumber', 'itemNumber'].map((name, at) =>
    (marks[at] === '+' ? `(product ->> '${name}') = w.n${at}` : `(product ->> '${name}') is null`))
  return `select w.at, p.id, ${granularity === 'item' ? 'null' : 'p.product::text'} as product, p.version
    from unnest(?::int[], ?::text[], ?::text[], ?::text[]) as w (at, n0, n1, n2), lateral (
      select id, product, xmin::text as version from passports where application = ? and product is not null
        and (product ->> 'idGranularity') = '${granularity}' and ${conditions.join(' and ')} offset 0) p`
}

interface LooseRow extends LooseBatch { number: string; model_id: string | null; model_product: string }

/** Batches by number alone, at most two of each, with their models. */
export async function findLoose(
  trx: Knex, application: string, batches: readonly string[],
): Promise<{ found: Map<string, LooseBatch[]>; models: Map<string, Found> }> {
  if (batches.length === 0) return { found: new Map(), models: new Map() }
  const { rows } = await trx.raw<{ rows: LooseRow[] }>(
    `select w.number, p.id, p.product::text as product, p.product ->> 'modelNumber' as model,
       m.id as model_id, m.product::text as model_product
     from unnest(?::text[]) as w (number), lateral (
       select id, product from passports where application = ? and (product ->> 'idGranularity') = 'batch'
         and (product ->> 'batchNumber') = w.number limit 2) p
     left join lateral (
       select id, product from passports where application = ? and product is not null
         and (product ->> 'idGranularity') = 'model' and (product ->> 'modelNumber') = (p.product ->> 'modelNumber')
         and (product ->> 'batchNumber') is null and (product ->> 'itemNumber') is null offset 0) m on true`,
    [batches as string[], application, application])
  const models = rows.flatMap(({ model, model_id: id, model_product: product }) =>
    (model !== null && id !== null ? [[identityKey(modelIdentity(model)), { id, product }] as const] : []))
  return { found: Map.groupBy(rows, ({ number }) => number), models: new Map(models) }
}

/** What is stored under: the application, kept until the commit, and the database's time as rows and events get it. */
export class Ground {
  readonly name: string
  readonly network: string
  readonly now: string
  readonly parents: KnownParents
  #last: Promise<unknown> = Promise.resolve()

  constructor({ name, network, now }: Named, parents: KnownParents) {
    this.name = name
    this.network = network
    this.now = now
    this.parents = parents
  }

  /** Keeps the server at work on a statement while the next one is thought about. */
  later(statement: Promise<unknown>): void {
    // Told when it is waited for.
    statement.catch(() => undefined)
    this.#last = statement
  }

  /** Waits for that: called before each other statement of the transaction. @throws what came of it, once */
  async done(): Promise<void> {
    const last = this.#last
    this.#last = Promise.resolve()
    await last
  }
}

interface Named { name: string; network: string; now: string }

interface Holding { organization: string; application: string; parents?: KnownParents | undefined }

/** @param parents those that earlier transactions have found @returns undefined for an application that is gone */
export async function holdApplication(
  trx: Knex, { organization, application, parents = new KnownParents() }: Holding,
): Promise<Ground | undefined> {
  const { rows: [found] } = await trx.raw<{ rows: Named[] }>(
    `select name, default_network as network,
       to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now
     from applications where id = ? and organization = ? for key share`, [application, organization])
  if (!found) return undefined
  await parents.refresh(trx)
  return new Ground(found, parents)
}
