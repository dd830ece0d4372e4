import type { Knex } from 'knex'
import type { Network } from '../../chains/networks.ts'
import { takeBreath } from '../../kernel/breath.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { keptProtectedTerms } from '../certification/index.ts'
import { HopeLost, isOfRow } from './import.clash.ts'
import { holdApplication, type Ground } from './import.find.ts'
import { judgeRow, learnSheets, surroundingsOf } from './import.judge.ts'
import { storeSlice } from './import.store.ts'
import type { ImportOptions, ImportRow, PreparedRow, Stored, StoreOptions } from './import.types.ts'

/** Rows that are judged before others of the process have their turn. */
const atOnce = 5
/** Milliseconds after which a single row was large enough for that. */
const longRow = 2

/** Times that rows are looked up anew when somebody else stores the same meanwhile, before they are told apart. */
const mostClashes = 3

/** Judges rows as the creation of a passport does, without writing. Rows are asked for one after the other. */
export async function prepareImport(
  context: Context, options: ImportOptions, rows: Iterable<ImportRow>,
): Promise<PreparedRow[]> {
  const around = surroundingsOf(context, options, await keptProtectedTerms(context.db, false))
  const prepared: PreparedRow[] = []
  for (const some of inChunks(rows)) {
    await learnSheets(context.db, options.organization, around, some.map(({ body }) => body))
    for (const row of some) {
      const began = performance.now()
      prepared.push(judgeRow(row, around))
      if (performance.now() - began > longRow) await takeBreath()
    }
    await takeBreath()
  }
  return prepared
}

function* inChunks(rows: Iterable<ImportRow>): Generator<ImportRow[]> {
  let chunk: ImportRow[] = []
  for (const row of rows) {
    if (chunk.push(row) < atOnce) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

/**
 * Stores judged rows with their events in the caller's transaction, in a number of statements that does not depend on
 * the number of rows. What the database refuses is narrowed down to the rows to blame, which fail alone. Rows that are
 * `newOnly` are stored when `finishStoring` has ended.
 * @throws NOT_FOUND for an application that is gone; HopeLost where `newOnly` was too much to hope for
 */
export async function storeImport(
  trx: Knex.Transaction, context: Context, options: StoreOptions, rows: readonly PreparedRow[],
): Promise<Stored> {
  const ground = await groundOf(trx, options)
  if (options.newOnly) {
    // Without a savepoint: two statements less for each slice.
    return storeSlice(trx, context, options, ground, rows).catch(lost)
  }
  await ground.done().catch(lost)
  for (let attempt = 1; ; attempt++) {
    try {
      return await trx.transaction(async (savepoint) => {
        const stored = await storeSlice(savepoint, context, options, ground, rows)
        await ground.done()
        return stored
      })
    } catch (cause) {
      if (!isOfRow(cause)) throw cause
      ground.parents.forget()
      if (attempt >= mostClashes) return await storeApart(trx, context, options, rows, cause)
    }
  }
}

/** Waits for what the server is still storing of the transaction's slices. @throws HopeLost */
export async function finishStoring(trx: Knex.Transaction): Promise<void> {
  await grounds.get(trx)?.done().catch(lost)
}

const lost = (cause: unknown): never => {
  throw isOfRow(cause) ? new HopeLost('', { cause }) : cause
}

const grounds = new WeakMap<Knex.Transaction, Ground>()

/** Asked once a transaction, which can store many slices of one import. @throws NOT_FOUND */
async function groundOf(trx: Knex.Transaction, options: StoreOptions): Promise<Ground> {
  const known = grounds.get(trx)
  if (known) return known
  const ground = await holdApplication(trx, options)
  if (!ground) throw notFound()
  grounds.set(trx, ground)
  return ground
}

async function storeApart(
  trx: Knex.Transaction, context: Context, options: StoreOptions, rows: readonly PreparedRow[], cause: unknown,
): Promise<Stored> {
  const [only] = rows
  if (rows.length === 1 && only) {
    context.log.warn({ err: cause, import: options.batch, line: only.line }, 'a row of an import could not be stored')
    const message = 'The row cannot be stored as it is.'
    const errors = [{ line: only.line, path: '', code: 'not_storable', message, value: null }]
    return { created: 0, updated: 0, skipped: 0, failed: 1, hung: { linked: 0, alone: 0, waiting: 0 }, errors }
  }
  const half = Math.ceil(rows.length / 2)
  const first = await storeImport(trx, context, options, rows.slice(0, half))
  return joined(first, await storeImport(trx, context, options, rows.slice(half)))
}

function joined(one: Stored, other: Stored): Stored {
  const sum = (name: 'created' | 'updated' | 'skipped' | 'failed') => one[name] + other[name]
  const hung = (name: keyof Stored['hung']) => one.hung[name] + other.hung[name]
  return {
    created: sum('created'), updated: sum('updated'), skipped: sum('skipped'), failed: sum('failed'),
    hung: { linked: hung('linked'), alone: hung('alone'), waiting: hung('waiting') },
    errors: [...one.errors, ...other.errors],
  }
}

/** Network of imported passports that name none: BaseMainnet where it has an RPC; null: the application's default. */
export function importedNetwork(context: Context): Network | null {
  return context.chains.usable('BaseMainnet') ? 'BaseMainnet' : null
}
