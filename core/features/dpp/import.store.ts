import type { Knex } from 'knex'
import type { Context } from '../../kernel/work.ts'
import { keptProtectedTerms } from '../certification/index.ts'
import { findLoose, findTaken, type Found, type Ground, type Wanted } from './import.find.ts'
import { identityKey, modelIdentity, parentsOf, type Identity } from './import.keys.ts'
import { insertFresh } from './import.insert.ts'
import { judgeRow, learnSheets, surroundingsOf } from './import.judge.ts'
import { Family } from './import.parents.ts'
import { candidateOf, planned, problemOf, type Candidate } from './import.plan.ts'
import { passSeen } from './import.seen.ts'
import type { PreparedRow, Stored, StoreOptions } from './import.types.ts'
import { updateThere } from './import.update.ts'
import { SheetRow } from './sheets.model.ts'

/** Rows onto passports of the same slice are stored after these; rows onto those again after them. */
const mostPasses = 3

/** Stores a slice as a whole or throws. @throws ImportClash */
export async function storeSlice(
  trx: Knex.Transaction, context: Context, options: StoreOptions, ground: Ground,
  rows: readonly PreparedRow[],
): Promise<Stored> {
  const stored = new Sum()
  const judged = await underSheets(trx, context, options, ground, rows)
  for (const { line, errors } of judged) {
    if (errors.length > 0) stored.fail(errors.map((error) => ({ ...error, line })), 1)
  }
  let todo = judged.flatMap((row) => (isGood(row) ? [candidateOf(row)] : []))
  for (let pass = 1; todo.length > 0; pass++) {
    todo = await storePass(trx, context, options, ground, todo, stored)
    if (pass < mostPasses) continue
    const message = 'stands in the way of other rows that are stored with it'
    const pathOf = ({ reference }: Candidate) => (reference === null ? 'product' : 'reference')
    stored.fail(todo.map((one) => problemOf(one, pathOf(one), message)), todo.length)
    break
  }
  return stored.told()
}

const isGood = (row: PreparedRow): row is Candidate['row'] => row.body !== null && row.keys !== null

/** Stores what it can at once. @returns rows onto passports that it has made or moved */
async function storePass(
  trx: Knex.Transaction, context: Context, options: StoreOptions, ground: Ground, todo: readonly Candidate[],
  stored: Sum,
): Promise<Candidate[]> {
  const { taken, family } = await lookUp(trx, options, ground, todo)
  const plan = planned(todo, taken, options.onDuplicate)
  stored.skipped += plan.skipped
  stored.fail(plan.errors, plan.errors.length)
  if (options.dryRun) options.idle?.()
  if (plan.changes.size > 0) await ground.done()
  const changed = await updateThere(trx, context, options, plan.changes)
  if (changed.updated > 0) ground.parents.forget()
  stored.updated += changed.updated
  stored.skipped += changed.skipped
  stored.fail(changed.errors, new Set(changed.errors.map(({ line }) => line)).size)
  if (options.dryRun) {
    const { fresh, errors, ...seen } = await passSeen(trx, options, plan.fresh)
    stored.created += fresh
    stored.skipped += seen.skipped
    stored.updated += seen.updated + plan.later.length
    stored.fail(errors, errors.length)
    return []
  }
  stored.hang(await insertFresh(trx, options, ground, plan.fresh, family))
  stored.created += plan.fresh.length
  return plan.later
}

/** What the rows have that is there already, and what their numbers lead to. */
async function lookUp(
  trx: Knex.Transaction, { application, newOnly }: StoreOptions, ground: Ground, todo: readonly Candidate[],
) {
  const { parents: known } = ground
  const wanted: Wanted = { references: new Set(), identities: new Map() }
  const loose = new Set<string>()
  const there = new Map<string, Found>()
  const want = (identity: Identity, key = identityKey(identity)) => {
    const found = known.get(key)
    if (found) there.set(key, found)
    else wanted.identities.set(key, identity)
  }
  for (const { reference, identity, numbers } of todo) {
    if (reference !== null && !newOnly) wanted.references.add(reference)
    if (identity === null || numbers === null) continue
    if (!newOnly) want(identity, numbers)
    const parents = parentsOf(identity)
    if (parents.model !== null) want(modelIdentity(parents.model))
    if (parents.batch !== null) want(parents.batch)
    if (parents.loose !== null) loose.add(parents.loose)
  }
  const asks = wanted.references.size + wanted.identities.size + loose.size > 0
  if (asks) await ground.done()
  const looked = await findTaken(trx, application, wanted)
  known.keep(looked)
  const taken = new Map([...looked, ...there])
  const { found, models } = await findLoose(trx, application, [...loose])
  return { taken, family: new Family(new Map<string, Found>([...models, ...taken]), found) }
}

/** Sheets keep as they are until the commit; rows of one that has changed since they were judged are judged again. */
async function underSheets(
  trx: Knex.Transaction, context: Context, options: StoreOptions, ground: Ground, rows: readonly PreparedRow[],
): Promise<readonly PreparedRow[]> {
  const named = new Set(rows.flatMap(({ content }) => (content?.flow === 'sheet' ? [content.sheet] : [])))
  if (named.size === 0) return rows
  await ground.done()
  const sheets = await SheetRow.query(trx).select('id', 'version')
    .modify('ofOrganization', options.organization).whereRaw('id = any(?::uuid[])', [[...named]])
    .orderBy('id').forKeyShare()
  const versions = new Map(sheets.map(({ id, version }) => [id, version]))
  const isStale = ({ content }: PreparedRow) =>
    content?.flow === 'sheet' && versions.get(content.sheet) !== content.version
  if (!rows.some(isStale)) return rows
  const around = surroundingsOf(context, options, await keptProtectedTerms(context.db, false))
  await learnSheets(trx, options.organization, around, rows.map(({ body }) => body))
  return rows.map((row) => (isStale(row) ? judgeRow({ line: row.line, body: row.body, errors: [] }, around) : row))
}

/** What becomes of a slice, added up. */
class Sum {
  created = 0
  updated = 0
  skipped = 0
  #failed = 0
  readonly #errors: Stored['errors'][number][] = []
  readonly #hung = { linked: 0, alone: 0, waiting: 0 }

  fail(errors: readonly Stored['errors'][number][], rows: number): void {
    for (const error of errors) this.#errors.push(error)
    this.#failed += rows
  }

  hang({ linked, alone, waiting }: Stored['hung']): void {
    this.#hung.linked += linked
    this.#hung.alone += alone
    this.#hung.waiting += waiting
  }

  told(): Stored {
    const { created, updated, skipped } = this
    const errors = this.#errors.sort((one, other) => one.line - other.line)
    return { created, updated, skipped, failed: this.#failed, hung: this.#hung, errors }
  }
}
