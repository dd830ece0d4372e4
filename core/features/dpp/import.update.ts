import type { Knex } from 'knex'
import { UniqueViolationError } from 'objection'
import type { Network } from '../../chains/networks.ts'
import { Problem, type Violation } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { ImportClash } from './import.clash.ts'
import { problemsOf } from './import.judge.ts'
import type { Candidate } from './import.plan.ts'
import type { RowProblem, StoreOptions } from './import.types.ts'
import { unusable } from './networks.rules.ts'
import { changesNothing, judgeChange, movesNumbers, refuseFixed } from './passports.change.ts'
import { recordEventsOf } from './passports.events.ts'
import { PassportRow } from './passports.model.ts'
import { refuseReadOnly } from './passports.rules.ts'
import type { NewPassport, PassportPatch } from './passports.schema.ts'
import { identityOf } from './product.rules.ts'
import { certificateFate, recertifyAll, type CertificateFate } from './recertify.ts'
import { SheetRow } from './sheets.model.ts'
import { startStructure } from './structure.ts'

interface Updated { updated: number; skipped: number; errors: (RowProblem & { line: number })[] }

/** A passport that rows of the slice change, one after the other. */
interface Changing { before: PassportRow; now: PassportRow; changed: boolean; moved: boolean; fate: CertificateFate }

/**
 * Merges rows into the passports that are there, by the rules of a PATCH; a row that changes nothing is skipped. Each
 * changed passport is written once and has one event, as its last row left it. A number of statements that does not
 * depend on the number of rows. @throws ImportClash when what the plan was made by has changed meanwhile
 */
export async function updateThere(
  trx: Knex.Transaction, context: Context, options: StoreOptions, changes: ReadonlyMap<string, readonly Candidate[]>,
): Promise<Updated> {
  const result: Updated = { updated: 0, skipped: 0, errors: [] }
  if (changes.size === 0) return result
  const rows = await readRows(trx, options, [...changes.keys()])
  const sheets = await readSheets(trx, [...rows.values()])
  const changing: Changing[] = []
  for (const [id, candidates] of changes) {
    const before = rows.get(id)
    if (!before || !candidates.every((candidate) => isStill(before, candidate))) throw new ImportClash()
    const one: Changing = { before, now: before, changed: false, moved: false, fate: 'kept' }
    for (const candidate of candidates) {
      const violations = merge(one, candidate, sheets.get(before.sheet ?? '') ?? null, context)
      if (violations === 'nothing') result.skipped++
      else if (violations.length === 0) result.updated++
      else result.errors.push(...problemsOf(violations, candidate.row.body).map((found) =>
        ({ ...found, line: candidate.row.line })))
    }
    if (one.changed) changing.push(one)
  }
  if (!options.dryRun && changing.length > 0) await write(trx, context, options.organization, changing)
  return result
}

/** Locked in the order of ids, as whoever changes many does. */
async function readRows(
  trx: Knex, { organization, dryRun }: StoreOptions, ids: readonly string[],
): Promise<Map<string, PassportRow>> {
  const query = PassportRow.query(trx).modify('ofOrganization', organization)
    .whereRaw('id = any(?::uuid[])', [ids as string[]]).orderBy('id')
  const rows = await (dryRun ? query : query.forUpdate())
  return new Map(rows.map((row) => [row.id, row]))
}

async function readSheets(trx: Knex, rows: readonly PassportRow[]): Promise<Map<string, SheetRow>> {
  const ids = new Set(rows.flatMap(({ sheet }) => sheet ?? []))
  if (ids.size === 0) return new Map()
  return new Map((await SheetRow.query(trx).whereIn('id', [...ids])).map((sheet) => [sheet.id, sheet]))
}

/** Whether the passport still has what the row was found by. */
function isStill({ reference, product }: PassportRow, candidate: Candidate): boolean {
  if (candidate.reference !== null && reference === candidate.reference) return true
  return product !== null && candidate.identity !== null
    && identityOf(product).every((one, at) => one === candidate.identity?.[at])
}

/** Merges one row in. @returns what is wrong with it, or that it changes nothing */
function merge(
  one: Changing, { row: { body } }: Candidate, sheet: SheetRow | null, { chains }: Context,
): Violation[] | 'nothing' {
  const { before, now } = one
  try {
    refuseReadOnly(before)
    const { patch, violations: foreign } = patchOf(now, body)
    const { change, violations } = judgeChange(now, patch, sheet)
    if (foreign.length + violations.length > 0) return [...foreign, ...violations]
    if (changesNothing(now, change)) return 'nothing'
    const moves = movesNumbers(now, change)
    if (moves) refuseFixed(before)
    const after = Object.assign(Object.create(PassportRow.prototype) as PassportRow, now, change)
    const fate = certificateFate(before, after, sheet)
    const isCertified = fate === 'again' || fate === 'anew'
    if (isCertified && !chains.usable(before.network)) return [unusable(before.network)]
    Object.assign(one, { now: after, changed: true, moved: one.moved || moves, fate })
    return []
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    return [{ path: cause.errors?.[0]?.path ?? '', code: cause.code, message: cause.detail }]
  }
}

/** The patch that a body is to a passport that is there. Its flow, sheet and network cannot become others. */
function patchOf(row: PassportRow, body: NewPassport): { patch: PassportPatch; violations: Violation[] } {
  const { application: _, network, product, ...members } = body
  const violations: Violation[] = []
  if (network !== undefined && network !== row.network as Network) {
    const message = `is not that of the passport, which is on ${row.network}`
    violations.push({ path: 'network', code: 'fixed', message })
  }
  if (typeof product !== 'string') return { patch: { ...members, product }, violations }
  if (product.toLowerCase() !== row.sheet) {
    violations.push({ path: 'product', code: 'fixed', message: 'is not the sheet that the passport was made from' })
  }
  return { patch: members, violations }
}

async function write(
  trx: Knex.Transaction, context: Context, organization: string, changing: readonly Changing[],
): Promise<void> {
  await writeRows(trx, changing.map(({ now }) => now))
  const ids = changing.map(({ now }) => now.id)
  const moved = changing.filter((one) => one.moved).map(({ now }) => now.id)
  await startStructure(trx, context, organization, moved)
  const fates = changing.map(({ now, fate }) => ({ passport: now.id, fate }))
  for (const job of await recertifyAll(trx, context, organization, fates)) await context.queue.wake(trx, job)
  await recordEventsOf(trx, 'update', ids)
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** @throws ImportClash where somebody has taken a reference or numbers meanwhile */
async function writeRows(trx: Knex, rows: readonly PassportRow[]): Promise<void> {
  const column = (read: (row: PassportRow) => string | null) => rows.map(read)
  const written = trx.raw(
    `update passports set reference = now.reference, fields = now.fields::jsonb, product = now.product::jsonb,
       data = now.data::jsonb, sheet_version = now.version, certified_paths = array(select jsonb_array_elements_text(now.paths::jsonb)),
       certificate_uri = now.uri, allowed_claim_email = now.email, allowed_claim_phone_number = now.phone,
       updated_at = now()
     from unnest(?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::int[])
       as now (id, reference, fields, product, data, paths, uri, email, phone, version)
     where passports.id = now.id`,
    [
      column(({ id }) => id), column(({ reference }) => reference), column(({ fields }) => json(fields)),
      column(({ product }) => json(product)), column(({ data }) => json(data)),
      column(({ certifiedPaths }) => json(certifiedPaths)), column(({ certificateUri }) => certificateUri),
      column(({ allowedClaimEmail }) => allowedClaimEmail),
      column(({ allowedClaimPhoneNumber }) => allowedClaimPhoneNumber),
      rows.map(({ sheetVersion }) => sheetVersion),
    ] as Knex.RawBinding[])
  await written.catch((cause: unknown) => { throw cause instanceof UniqueViolationError ? new ImportClash() : cause })
}

