import type { Knex } from 'knex'
import type { CopySource } from '../../../database/copy.ts'
import { newId } from '../../../database/model.ts'
import { formatJobItemLine, jobItemColumns } from '../../../queue/batches/items.ts'
import type { ImportTransaction } from './import.lookup.ts'
import type { ParentIndex, ParentLinks } from './import.parents.ts'
import type { ImportCandidate } from './import.plan.ts'
import type { StoreOptions } from './import.types.ts'
import { type CopiedPassport, copyPassports } from '../passports/index.ts'
import { type ParentCounts, structureStep } from '../structure/index.ts'

type InsertOptions = Pick<StoreOptions, 'organization' | 'application' | 'job' | 'structureJob' | 'onIdle'> & {
  /** Records that the units of the new passports are used. */
  useUnits: () => Promise<void>
}

/** A passport to insert. */
interface NewPassportRow extends CopiedPassport {
  line: number
  linkState: ParentLinks['linkState'] | undefined
}

/**
 * Inserts new passports and their events by COPY. The function returns while the server still stores the events: the
 * next statement of the transaction has to wait with `importTransaction.waitForStatement`.
 */
export async function insertNewPassports(
  trx: Knex.Transaction,
  options: InsertOptions,
  importTransaction: ImportTransaction,
  candidates: readonly ImportCandidate[],
  parentIndex: ParentIndex,
): Promise<ParentCounts> {
  const { organization, application, job: importJob, structureJob, onIdle, useUnits } = options
  const rows = createRows(candidates, structureJob, importTransaction.network, parentIndex)
  if (rows.length === 0) {
    onIdle?.()
    return { linked: 0, alone: 0, waiting: 0 }
  }
  await importTransaction.waitForStatement()
  await useUnits()
  const { name: applicationName, now } = importTransaction
  const others = createItemSources(rows, structureJob)
  const copy = { organization, application, applicationName, now, structureJob, importJob, rows, others, onIdle }
  const { stored } = await copyPassports(trx, copy)
  importTransaction.deferStatement(stored)
  const count = (wanted: ParentLinks['linkState']) => rows.filter(({ linkState }) => linkState === wanted).length
  return { linked: count('linked'), alone: count('alone'), waiting: count('waiting') }
}

function createRows(
  candidates: readonly ImportCandidate[],
  structureJob: string | null,
  network: string,
  parentIndex: ParentIndex,
): NewPassportRow[] {
  const rows = candidates.map(({ row: { line, body, content }, identity }): NewPassportRow => {
    const id = newId()
    if (content.flow === 'product' && identity) parentIndex.add({ id, product: content.product, identity })
    return { id, network: content.network ?? network, body, content, structureStatus: null, line, linkState: undefined }
  })
  // The parents of a row may be new as well, and stand behind it.
  for (const [index, { identity }] of candidates.entries()) {
    const row = rows[index]
    if (!row || !identity) continue
    row.linkState = parentIndex.findParents(identity).linkState
    if (structureJob !== null) row.structureStatus = row.linkState === 'waiting' ? 'pending' : 'completed'
  }
  return rows
}

/** Creates what is copied to the items of the structure job: the passports whose parents were not found. */
function createItemSources(rows: readonly NewPassportRow[], job: string | null): CopySource[] {
  const waiting = rows.filter(({ structureStatus }) => structureStatus === 'pending')
  if (job === null || waiting.length === 0) return []
  return [{ into: jobItemColumns, lines: formatItemLines(waiting, job) }]
}

function* formatItemLines(rows: readonly NewPassportRow[], job: string): Generator<string> {
  for (const { line, id } of rows) yield formatJobItemLine({ job, step: structureStep }, { line, subject: id })
}
