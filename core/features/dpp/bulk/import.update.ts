import type { Knex } from 'knex'
import { UniqueViolationError } from 'objection'
import type { Network } from '../../../chains/networks.ts'
import { ProblemError, type Issue } from '../../../kernel/problem.ts'
import type { RowIssue } from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import { toRowIssues } from '../../../kernel/ports/row-issues.ts'
import { ImportConflictError, type ImportCandidate } from './import.plan.ts'
import type { StoreOptions } from './import.types.ts'
import { createUnusableNetworkIssue, getIdentity } from '../content/index.ts'
import { assertIdentityChangeable, changesNothing, movesNumbers, validateChange } from '../drafts/index.ts'
import {
  assertWritable,
  changePassports,
  type NewPassport,
  type PassportPatch,
  PassportRow,
  recordEventsByIds,
} from '../passports/index.ts'
import { type CertificateFate, decideCertificateFate, recertifyPassports } from '../certificates/index.ts'
import { SheetRow } from '../sheets/index.ts'
import { startStructureJob } from '../structure/index.ts'

interface UpdateResult {
  updated: number
  skipped: number
  errors: (RowIssue & { line: number })[]
}

/** A passport that rows of the slice change, one after the other. */
interface PassportUpdate {
  before: PassportRow
  current: PassportRow
  changed: boolean
  changesNumbers: boolean
  fate: CertificateFate
}

/**
 * Merges rows into existing passports, by the rules of a PATCH. A row that changes nothing is skipped. Each changed
 * passport is written once and has one event, with the state after its last row. The number of statements does not
 * depend on the number of rows.
 * @throws ImportConflictError if the data that the plan was made from has changed meanwhile
 */
export async function updateExisting(
  trx: Knex.Transaction,
  context: Context,
  options: StoreOptions,
  changes: ReadonlyMap<string, readonly ImportCandidate[]>,
): Promise<UpdateResult> {
  const result: UpdateResult = { updated: 0, skipped: 0, errors: [] }
  if (changes.size === 0) return result
  const rows = await readPassportRows(trx, options, [...changes.keys()])
  const sheets = await readSheets(trx, [...rows.values()])
  const changing: PassportUpdate[] = []
  for (const [id, candidates] of changes) {
    const before = rows.get(id)
    if (!before || !candidates.every((candidate) => stillMatches(before, candidate))) throw new ImportConflictError()
    const one: PassportUpdate = { before, current: before, changed: false, changesNumbers: false, fate: 'kept' }
    for (const candidate of candidates) {
      const issues = mergeRow(one, candidate, sheets.get(before.sheet ?? '') ?? null, context)
      if (issues === 'nothing') result.skipped++
      else if (issues.length === 0) result.updated++
      else
        result.errors.push(
          ...toRowIssues(issues, candidate.row.body).map((found) => ({ ...found, line: candidate.row.line })),
        )
    }
    if (one.changed) changing.push(one)
  }
  if (!options.dryRun && changing.length > 0) await writeUpdates(trx, context, options.organization, changing)
  return result
}

/** Reads passports and, except on a dry run, locks them in the order of ids, as every writer of many passports does. */
async function readPassportRows(
  trx: Knex,
  { organization, dryRun }: StoreOptions,
  ids: readonly string[],
): Promise<Map<string, PassportRow>> {
  const query = PassportRow.query(trx)
    .modify('ofOrganization', organization)
    .whereRaw('id = any(?::uuid[])', [ids as string[]])
    .orderBy('id')
  const rows = await (dryRun ? query : query.forUpdate())
  return new Map(rows.map((row) => [row.id, row]))
}

async function readSheets(trx: Knex, rows: readonly PassportRow[]): Promise<Map<string, SheetRow>> {
  const ids = new Set(rows.flatMap(({ sheet }) => sheet ?? []))
  if (ids.size === 0) return new Map()
  return new Map((await SheetRow.query(trx).whereIn('id', [...ids])).map((sheet) => [sheet.id, sheet]))
}

/** Checks whether the passport still has the key by which the row found it. */
function stillMatches({ reference, product }: PassportRow, candidate: ImportCandidate): boolean {
  if (candidate.reference !== null && reference === candidate.reference) return true
  return (
    product !== null
    && candidate.identity !== null
    && getIdentity(product).every((one, at) => one === candidate.identity?.[at])
  )
}

/**
 * Merges one row into a passport.
 * @returns the issues of the row, or `nothing` if it changes nothing
 */
function mergeRow(
  one: PassportUpdate,
  { row: { body } }: ImportCandidate,
  sheet: SheetRow | null,
  { chains }: Context,
): Issue[] | 'nothing' {
  const { before, current } = one
  try {
    assertWritable(before)
    const { patch, violations: foreign } = toPatch(current, body)
    const { change, issues } = validateChange(current, patch, sheet)
    if (foreign.length + issues.length > 0) return [...foreign, ...issues]
    if (changesNothing(current, change)) return 'nothing'
    const moves = movesNumbers(current, change)
    if (moves) assertIdentityChangeable(before)
    const after = Object.assign(Object.create(PassportRow.prototype) as PassportRow, current, change)
    const fate = decideCertificateFate(before, after, sheet)
    const isCertified = fate === 'again' || fate === 'anew'
    if (isCertified && !chains.canSend(before.network)) return [createUnusableNetworkIssue(before.network)]
    Object.assign(one, { current: after, changed: true, changesNumbers: one.changesNumbers || moves, fate })
    return []
  } catch (cause) {
    if (!(cause instanceof ProblemError)) throw cause
    return [{ path: cause.errors?.[0]?.path ?? '', code: cause.code, message: cause.detail }]
  }
}

/** Converts a body to a patch of an existing passport. The flow, sheet and network of a passport cannot change. */
function toPatch(row: PassportRow, body: NewPassport): { patch: PassportPatch; violations: Issue[] } {
  const { application: _, network, product, ...members } = body
  const issues: Issue[] = []
  if (network !== undefined && network !== (row.network as Network)) {
    const message = `is not that of the passport, which is on ${row.network}`
    issues.push({ path: 'network', code: 'fixed', message })
  }
  if (typeof product !== 'string') return { patch: { ...members, product }, violations: issues }
  if (product.toLowerCase() !== row.sheet) {
    issues.push({ path: 'product', code: 'fixed', message: 'is not the sheet that the passport was made from' })
  }
  return { patch: members, violations: issues }
}

/**
 * Writes changed passports, with their structure jobs, certificates and events.
 * @throws ImportConflictError
 */
async function writeUpdates(
  trx: Knex.Transaction,
  context: Context,
  organization: string,
  changing: readonly PassportUpdate[],
): Promise<void> {
  await changePassports(
    trx,
    changing.map(({ current }) => current),
  ).catch((cause: unknown) => {
    // Another transaction has taken a reference or numbers meanwhile.
    throw cause instanceof UniqueViolationError ? new ImportConflictError() : cause
  })
  const ids = changing.map(({ current }) => current.id)
  const moved = changing.filter((one) => one.changesNumbers).map(({ current }) => current.id)
  await startStructureJob(trx, context, organization, moved)
  const fates = changing.map(({ current, fate }) => ({ passport: current.id, fate }))
  for (const job of await recertifyPassports(trx, context, organization, fates)) await context.queue.wakeJobs(trx, job)
  await recordEventsByIds(trx, 'update', ids)
}
