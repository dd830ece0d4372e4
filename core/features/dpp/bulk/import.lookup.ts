import type { Knex } from 'knex'
import { formatIdentityKey, createModelIdentity, formatReferenceKey, type ProductIdentity } from './import.keys.ts'
import { ParentCache } from './import.parents.ts'

/**
 * A passport that exists. `product` is JSON text, only for passports that can be parents; `version` changes with every
 * change of the row.
 */
export interface FoundPassport {
  id: string
  product: string | null
  version?: string
}

/** The keys to look up: references, and identities by their keys. */
export interface ImportLookup {
  references: Set<string>
  identities: Map<string, ProductIdentity>
}

/** A batch that was found by its number alone, with the number of its model if it has one. */
export interface BatchCandidate extends FoundPassport {
  model: string | null
}

/**
 * Finds the existing passports of an application by key, in one statement. Each kind of identity is looked up by all
 * columns of `passports_identity_unique`. `offset 0` makes the planner look up each row separately, whatever it assumes
 * about the table.
 */
export async function findExisting(
  trx: Knex,
  application: string,
  wanted: ImportLookup,
): Promise<Map<string, FoundPassport>> {
  const parts: string[] = []
  const bindings: unknown[] = []
  const keys: string[] = []
  const numbered = (key: string) => keys.push(key) - 1
  if (wanted.references.size > 0) {
    parts.push(`select w.at, p.id, null as product, null as version from unnest(?::int[], ?::text[]) as w (at, reference), lateral (
      select id from passports where application = ? and reference = w.reference offset 0) p`)
    const references = [...wanted.references]
    bindings.push(
      references.map((reference) => numbered(formatReferenceKey(reference))),
      references,
      application,
    )
  }
  for (const [shape, members] of Map.groupBy(wanted.identities.values(), formatIdentityShape)) {
    parts.push(createIdentityQuery(shape))
    bindings.push(
      members.map((identity) => numbered(formatIdentityKey(identity))),
      ...[1, 2, 3].map((at) => members.map((identity) => identity[at] ?? null)),
      application,
    )
  }
  if (parts.length === 0) return new Map()
  const { rows } = await trx.raw<{ rows: (FoundPassport & { at: number })[] }>(
    parts.join(' union all '),
    bindings as Knex.RawBinding[],
  )
  return new Map(rows.map(({ at, ...found }) => [keys[at] ?? '', found]))
}

/** Formats the shape of an identity: its granularity, and which of its numbers it has. */
const formatIdentityShape = ([granularity, ...numbers]: ProductIdentity) =>
  `${granularity}${numbers.map((number) => (number === null ? '-' : '+')).join('')}`

function createIdentityQuery(shape: string): string {
  const [, granularity, marks = ''] = /^([a-z]+)([-+]{3})$/.exec(shape) ?? []
  const conditions = ['modelNumber', 'batchNumber', 'itemNumber'].map((name, at) =>
    marks[at] === '+' ? `(product ->> '${name}') = w.n${at}` : `(product ->> '${name}') is null`,
  )
  return `select w.at, p.id, ${granularity === 'item' ? 'null' : 'p.product::text'} as product, p.version
    from unnest(?::int[], ?::text[], ?::text[], ?::text[]) as w (at, n0, n1, n2), lateral (
      select id, product, xmin::text as version from passports where application = ? and product is not null
        and (product ->> 'idGranularity') = '${granularity}' and ${conditions.join(' and ')} offset 0) p`
}

interface BatchCandidateRow extends BatchCandidate {
  number: string
  model_id: string | null
  model_product: string
}

/** Finds batches by their number alone, at most two for each number, with their models. */
export async function findBatchesByNumber(
  trx: Knex,
  application: string,
  batches: readonly string[],
): Promise<{ found: Map<string, BatchCandidate[]>; models: Map<string, FoundPassport> }> {
  if (batches.length === 0) return { found: new Map(), models: new Map() }
  const { rows } = await trx.raw<{ rows: BatchCandidateRow[] }>(
    `select w.number, p.id, p.product::text as product, p.product ->> 'modelNumber' as model,
       m.id as model_id, m.product::text as model_product
     from unnest(?::text[]) as w (number), lateral (
       select id, product from passports where application = ? and (product ->> 'idGranularity') = 'batch'
         and (product ->> 'batchNumber') = w.number limit 2) p
     left join lateral (
       select id, product from passports where application = ? and product is not null
         and (product ->> 'idGranularity') = 'model' and (product ->> 'modelNumber') = (p.product ->> 'modelNumber')
         and (product ->> 'batchNumber') is null and (product ->> 'itemNumber') is null offset 0) m on true`,
    [batches as string[], application, application],
  )
  const models = rows.flatMap(({ model, model_id: id, model_product: product }) =>
    model !== null && id !== null ? [[formatIdentityKey(createModelIdentity(model)), { id, product }] as const] : [],
  )
  return { found: Map.groupBy(rows, ({ number }) => number), models: new Map(models) }
}

/**
 * The transaction of an import: its application, locked until the commit, and the database's time for rows and events.
 */
export class ImportTransaction {
  readonly name: string
  readonly network: string
  readonly now: string
  readonly parents: ParentCache
  #deferredStatement: Promise<unknown> = Promise.resolve()

  constructor({ name, network, now }: HeldApplicationRow, parents: ParentCache) {
    this.name = name
    this.network = network
    this.now = now
    this.parents = parents
  }

  /** Lets the server work on a statement while the next one is prepared. */
  deferStatement(statement: Promise<unknown>): void {
    // `waitForStatement` reports the error.
    statement.catch(() => undefined)
    this.#deferredStatement = statement
  }

  /**
   * Waits for the deferred statement. It is called before each other statement of the transaction.
   * @throws the error of the deferred statement, once
   */
  async waitForStatement(): Promise<void> {
    const last = this.#deferredStatement
    this.#deferredStatement = Promise.resolve()
    await last
  }
}

interface HeldApplicationRow {
  name: string
  network: string
  now: string
}

interface ApplicationHold {
  organization: string
  application: string
  parents?: ParentCache | undefined
}

/**
 * Locks the application of an import against deletion until the transaction ends.
 * @param parents the parents that earlier transactions have found
 * @returns undefined if the application does not exist any more
 */
export async function lockApplication(
  trx: Knex,
  { organization, application, parents = new ParentCache() }: ApplicationHold,
): Promise<ImportTransaction | undefined> {
  const {
    rows: [found],
  } = await trx.raw<{ rows: HeldApplicationRow[] }>(
    `select name, default_network as network,
       to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now
     from applications where id = ? and organization = ? for key share`,
    [application, organization],
  )
  if (!found) return undefined
  await parents.refresh(trx)
  return new ImportTransaction(found, parents)
}
