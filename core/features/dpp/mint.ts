import type { NewOperation } from '../../chains/chain.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { faultPoint } from '../../kernel/fault.ts'
import { problem, type Violation } from '../../kernel/problem.ts'
import type { Work } from '../../kernel/work.ts'
import { unusable } from './networks.rules.ts'
import { insertBatch, type BatchRow } from './mint.rows.ts'
import { mostRows } from './mint.schema.ts'
import { judgeValues, refuseInvalid, storedValues } from './passports.rules.ts'
import { findSheet, type SheetRow } from './sheets.reads.ts'

type Row = Record<string, unknown>

/** Violations that one answer reports. */
const mostViolations = 100

/**
 * Creates published passports of a sheet and starts to mint them to the application's issuer, all in one transaction.
 * @throws MINT_BATCH_TOO_LARGE, NOT_FOUND, VALIDATION_FAILED, DPP_PRODUCT_NOT_MINTABLE
 */
export async function startMint(
  work: Work,
  caller: OrganizationCaller,
  sheetId: string,
  rows: readonly Row[],
): Promise<{ jobId: string }> {
  if (rows.length < 1 || rows.length > mostRows) {
    throw problem(
      'MINT_BATCH_TOO_LARGE',
      `A batch has 1 to ${mostRows.toLocaleString('en')} rows, not ${rows.length.toLocaleString('en')}.`,
    )
  }
  const { trx, context } = work
  const sheet = await findSheet(work, sheetId)
  refuseInvalid(judgeRows(sheet, rows, context.chains.usable(sheet.network)))
  refuseUnmintable(sheet)
  const { organization } = caller
  const { application, network } = sheet
  const jobId = await context.queue.enqueue(trx, {
    type: 'mint', organization, application, product: sheet.id, total: rows.length, payload: { network }, counts: true,
  })
  const batch = await insertBatch(trx, {
    organization,
    sheet,
    job: jobId,
    values: rows.map((row) => storedValues(sheet, row)),
  })
  const whose = { organization, application, network, job: jobId }
  await context.chains.queue(trx, batch.applicationName, batch.rows.map((row) => mintOperation(row, whose)))
  work.afterCommit(() => {
    faultPoint('mint.row-stored', { job: jobId, step: 'accept' })
    context.queue.ring(jobId)
    context.chains.ring(network)
  })
  return { jobId }
}

/** All that is wrong with the rows, and with the network they would be minted on. */
function judgeRows(sheet: SheetRow, rows: readonly Row[], usable: boolean): Violation[] {
  const violations: Violation[] = usable ? [] : [unusable(sheet.network)]
  for (const [line, row] of rows.entries()) {
    violations.push(...judgeValues(sheet, row, `[${line}]`))
    if (violations.length >= mostViolations) break
  }
  return violations.slice(0, mostViolations)
}

function refuseUnmintable({ status }: SheetRow): void {
  if (status === 'ACTIVE' || status === 'UNLISTED') return
  throw problem('DPP_PRODUCT_NOT_MINTABLE', `The sheet is ${status}; only an ACTIVE or UNLISTED sheet can be minted.`)
}

type Whose = Pick<NewOperation, 'organization' | 'application' | 'network' | 'job'>

/** The mint of a passport to its application's issuer. A passport has one for ever. */
function mintOperation({ id, tokenId, line }: BatchRow, whose: Whose): NewOperation {
  return { ...whose, id: `mint:${whose.network}:${id}`, kind: 'mintToIssuer', tokenId, line }
}
