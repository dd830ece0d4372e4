import type { Knex } from 'knex'
import type { Context } from '../../../kernel/work.ts'
import { readProtectedTerms } from '../../certification/index.ts'
import {
  findBatchesByNumber,
  findExisting,
  type FoundPassport,
  type ImportTransaction,
  type ImportLookup,
} from './import.lookup.ts'
import { formatIdentityKey, createModelIdentity, getParentIdentities, type ProductIdentity } from './import.keys.ts'
import { insertNewPassports } from './import.insert.ts'
import { prepareRow, loadSheets, createRowContext } from './import.validate.ts'
import { ParentIndex } from './import.parents.ts'
import {
  createCandidate,
  planImport,
  createConflictIssue,
  createQuotaIssue,
  type ImportCandidate,
} from './import.plan.ts'
import { findSeenRows } from './import.duplicates.ts'
import type { PreparedRow, PassportStoreResult, StoreOptions } from './import.types.ts'
import { updateExisting } from './import.update.ts'
import { SheetRow } from '../sheets/index.ts'

/**
 * The maximum number of passes over one slice. A row that changes a passport of the same slice is stored in the pass
 * after that passport.
 */
const maxPasses = 3

/**
 * Stores a slice completely, or throws.
 * @throws ImportConflictError
 */
export async function storeSlice(
  trx: Knex.Transaction,
  context: Context,
  options: StoreOptions,
  importTransaction: ImportTransaction,
  rows: readonly PreparedRow[],
): Promise<PassportStoreResult> {
  const stored = new SliceCounter()
  const storing: SliceStoring = { trx, context, options, importTransaction, stored }
  const preparedRows = await lockSheets(trx, context, options, importTransaction, rows)
  for (const { line, errors } of preparedRows) {
    if (errors.length > 0)
      stored.addErrors(
        errors.map((error) => ({ ...error, line })),
        1,
      )
  }
  let remaining = preparedRows.flatMap((row) => (isCandidateRow(row) ? [createCandidate(row)] : []))
  for (let pass = 1; remaining.length > 0; pass++) {
    remaining = await storePass(storing, remaining)
    if (pass < maxPasses) continue
    const message = 'stands in the way of other rows that are stored with it'
    const pathOf = ({ reference }: ImportCandidate) => (reference === null ? 'product' : 'reference')
    stored.addErrors(
      remaining.map((one) => createConflictIssue(one, pathOf(one), message)),
      remaining.length,
    )
    break
  }
  return stored.toResult()
}

const isCandidateRow = (row: PreparedRow): row is ImportCandidate['row'] => row.body !== null && row.keys !== null

/** The values that all passes of one slice share. */
interface SliceStoring {
  trx: Knex.Transaction
  context: Context
  options: StoreOptions
  importTransaction: ImportTransaction
  stored: SliceCounter
}

/**
 * Stores all rows that can be stored in one pass.
 * @returns the rows that change passports which this pass has created or moved
 */
async function storePass(
  { trx, context, options, importTransaction, stored }: SliceStoring,
  candidates: readonly ImportCandidate[],
): Promise<ImportCandidate[]> {
  const { taken, family } = await findExistingRows(trx, options, importTransaction, candidates)
  const plan = planImport(candidates, taken, options.onDuplicate)
  stored.skipped += plan.skipped
  stored.addErrors(plan.errors, plan.errors.length)
  if (options.dryRun) options.onIdle?.()
  if (plan.changes.size > 0) await importTransaction.waitForStatement()
  const changed = await updateExisting(trx, context, options, plan.changes)
  if (changed.updated > 0) importTransaction.parents.clear()
  stored.updated += changed.updated
  stored.skipped += changed.skipped
  stored.addErrors(changed.errors, new Set(changed.errors.map(({ line }) => line)).size)
  if (options.dryRun) {
    const { fresh, errors, ...seen } = await findSeenRows(trx, options, plan.creations)
    stored.created += fresh
    stored.skipped += seen.skipped
    stored.updated += seen.updated + plan.deferred.length
    stored.addErrors(errors, errors.length)
    return []
  }
  const taking = { organization: options.organization, meter: 'dpp.operations' as const, units: plan.creations.length }
  const reserved = await context.meters.reserve({ ...taking, isPartial: true })
  const creations = plan.creations.slice(0, reserved.units)
  const refused = plan.creations.slice(reserved.units)
  stored.addErrors(refused.map(createQuotaIssue), refused.length)
  const useUnits = () => reserved.use(trx)
  stored.addParentCounts(await insertNewPassports(trx, { ...options, useUnits }, importTransaction, creations, family))
  stored.created += creations.length
  return plan.deferred
}

/** Finds the existing passports with the keys of the rows, and the possible parents of the rows. */
async function findExistingRows(
  trx: Knex.Transaction,
  { application, insertOnly }: StoreOptions,
  importTransaction: ImportTransaction,
  lookedUpCandidates: readonly ImportCandidate[],
) {
  const { parents: known } = importTransaction
  const wanted: ImportLookup = { references: new Set(), identities: new Map() }
  const loose = new Set<string>()
  const knownParents = new Map<string, FoundPassport>()
  const addIdentity = (identity: ProductIdentity, key = formatIdentityKey(identity)) => {
    const found = known.get(key)
    if (found) knownParents.set(key, found)
    else wanted.identities.set(key, identity)
  }
  for (const { reference, identity, identityKey } of lookedUpCandidates) {
    if (reference !== null && !insertOnly) wanted.references.add(reference)
    if (identity === null || identityKey === null) continue
    if (!insertOnly) addIdentity(identity, identityKey)
    const parents = getParentIdentities(identity)
    if (parents.model !== null) addIdentity(createModelIdentity(parents.model))
    if (parents.batch !== null) addIdentity(parents.batch)
    if (parents.batchNumber !== null) loose.add(parents.batchNumber)
  }
  const asks = wanted.references.size + wanted.identities.size + loose.size > 0
  if (asks) await importTransaction.waitForStatement()
  const looked = await findExisting(trx, application, wanted)
  known.add(looked)
  const taken = new Map([...looked, ...knownParents])
  const { found, models } = await findBatchesByNumber(trx, application, [...loose])
  return { taken, family: new ParentIndex(new Map<string, FoundPassport>([...models, ...taken]), found) }
}

/**
 * Locks the sheets of the rows until the commit, and validates rows again whose sheet has changed since they were
 * prepared.
 */
async function lockSheets(
  trx: Knex.Transaction,
  context: Context,
  options: StoreOptions,
  importTransaction: ImportTransaction,
  rows: readonly PreparedRow[],
): Promise<readonly PreparedRow[]> {
  const named = new Set(rows.flatMap(({ content }) => (content?.flow === 'sheet' ? [content.sheet] : [])))
  if (named.size === 0) return rows
  await importTransaction.waitForStatement()
  const sheets = await SheetRow.query(trx)
    .select('id', 'version')
    .modify('ofOrganization', options.organization)
    .whereRaw('id = any(?::uuid[])', [[...named]])
    .orderBy('id')
    .forKeyShare()
  const versions = new Map(sheets.map(({ id, version }) => [id, version]))
  const isStale = ({ content }: PreparedRow) =>
    content?.flow === 'sheet' && versions.get(content.sheet) !== content.version
  if (!rows.some(isStale)) return rows
  const rowContext = await createRowContext(context, options, await readProtectedTerms(context.db, false))
  await loadSheets(
    trx,
    options.organization,
    rowContext,
    rows.map(({ body }) => body),
  )
  return rows.map((row) =>
    isStale(row) ? prepareRow({ line: row.line, body: row.body, errors: [] }, rowContext) : row,
  )
}

/** A counter of the results of a slice. */
class SliceCounter {
  created = 0
  updated = 0
  skipped = 0
  #failed = 0
  readonly #errors: PassportStoreResult['errors'][number][] = []
  readonly #parentCounts = { linked: 0, alone: 0, waiting: 0 }

  addErrors(errors: readonly PassportStoreResult['errors'][number][], rows: number): void {
    for (const error of errors) this.#errors.push(error)
    this.#failed += rows
  }

  addParentCounts({ linked, alone, waiting }: PassportStoreResult['parentCounts']): void {
    this.#parentCounts.linked += linked
    this.#parentCounts.alone += alone
    this.#parentCounts.waiting += waiting
  }

  toResult(): PassportStoreResult {
    const { created, updated, skipped } = this
    const errors = this.#errors.sort((one, other) => one.line - other.line)
    return { created, updated, skipped, failed: this.#failed, parentCounts: this.#parentCounts, errors }
  }
}
