import type { NewTokenOperation } from '../../../chains/port.ts'
import type { OrganizationCaller } from '../../../kernel/caller.ts'
import { type DryRun, formatCount, rehearse } from '../../../kernel/dry-run.ts'
import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { createProblem, type Issue } from '../../../kernel/problem.ts'
import type { Work } from '../../../kernel/work.ts'
import { createNetworkCheck } from '../content/index.ts'
import { applyDefaults, validateSheetValues } from '../fields/index.ts'
import { maxRows } from './mint.schema.ts'
import { assertNoIssues, insertMintBatch, type MintBatchRow } from '../passports/index.ts'
import { findShownPictures, namePictures } from '../pictures/index.ts'
import { lockSheet, type SheetRow } from '../sheets/index.ts'

type MintRow = Record<string, unknown>

/** The maximum number of issues in one answer. */
const maxIssues = 100

/**
 * Creates published passports of a sheet and starts to mint them to the application's issuer, all in one transaction.
 * @throws MINT_BATCH_TOO_LARGE
 * @throws NOT_FOUND
 * @throws VALIDATION_FAILED
 * @throws DPP_PRODUCT_NOT_MINTABLE
 * @throws QUOTA_EXCEEDED
 */
export async function startMint(
  work: Work,
  caller: OrganizationCaller,
  sheetId: string,
  rows: readonly MintRow[],
): Promise<{ jobId: string }> {
  const { trx, context } = work
  const { organization } = caller
  const { sheet, jobId } = await createMintJob(work, caller, sheetId, rows)
  const { application, network } = sheet
  await context.meters.take(trx, { organization, ...getMintUnits(rows) })
  const fields = rows.map((row) => applyDefaults(sheet.passportsFields, row))
  const batch = await insertMintBatch(trx, { organization, sheet, job: jobId, fields })
  await namePictures(trx, context, organization, listBatchPictures(sheet, fields))
  const target = { organization, application, network, job: jobId }
  await context.chains.queueOperations(
    trx,
    batch.applicationName,
    batch.rows.map((row) => createMintOperation(row, target)),
  )
  work.afterCommit(() => {
    hitFaultPoint('mint.row-stored', { job: jobId, step: 'accept' })
    context.queue.notifyWorker(jobId)
    context.chains.wakeSender(network)
  })
  return { jobId }
}

/**
 * Tells what minting these rows would do.
 * @throws as `startMint`
 */
export async function previewMint(
  work: Work,
  caller: OrganizationCaller,
  sheetId: string,
  rows: readonly MintRow[],
): Promise<DryRun> {
  const { sheet } = await rehearse(work, (rehearsal) => createMintJob(rehearsal, caller, sheetId, rows))
  const { id, name, application, network } = sheet
  const { organization } = caller
  const { meter, units } = getMintUnits(rows)
  await work.context.meters.assertLeft(work.trx, { organization, meter }, units)
  const contracts = await work.context.chains.listDeployedContracts(work.trx, [application])
  const contract = contracts.findLast((one) => one.kind === 'passports' && one.network === network)
  const issuer = contract?.issuer
    ? `the issuer of the application, ${contract.issuer}`
    : 'the issuer of the application'
  return {
    matched: rows.length,
    willChange: rows.length,
    samples: [{ id, name }],
    skipped: [],
    warnings: [
      `${formatCount(rows.length, 'token')} will be minted on ${network} to ${issuer}`
        + (contract ? `, in the contract ${contract.address}.` : '; the contract is deployed first.'),
    ],
  }
}

const listBatchPictures = (sheet: SheetRow, fields: readonly MintRow[]): string[] =>
  fields.flatMap((values) => findShownPictures({ product: null, fields: values }, sheet).map(({ address }) => address))

/** Each row is a passport that is created, and one that is minted. */
const getMintUnits = (rows: readonly MintRow[]) => ({ meter: 'dpp.operations' as const, units: 2 * rows.length })

/** Validates a batch and creates its job. */
async function createMintJob(
  work: Work,
  { organization }: OrganizationCaller,
  sheetId: string,
  rows: readonly MintRow[],
): Promise<{ sheet: SheetRow; jobId: string }> {
  if (rows.length < 1 || rows.length > maxRows) {
    throw createProblem(
      'MINT_BATCH_TOO_LARGE',
      `A batch has 1 to ${maxRows.toLocaleString('en')} rows, not ${rows.length.toLocaleString('en')}.`,
    )
  }
  const { trx, context } = work
  const sheet = await lockSheet(work, sheetId)
  const checkNetwork = await createNetworkCheck(context, trx, organization)
  assertNoIssues(validateRows(sheet, rows, checkNetwork(sheet.network)))
  assertMintable(sheet)
  const jobId = await context.queue.enqueue(trx, {
    type: 'mint',
    organization,
    application: sheet.application,
    product: sheet.id,
    total: rows.length,
    payload: { network: sheet.network },
    countsTowardsLimit: true,
  })
  return { sheet, jobId }
}

/** Validates the rows and the network on which they would be minted. */
function validateRows(sheet: SheetRow, rows: readonly MintRow[], networkIssue: Issue | undefined): Issue[] {
  const issues: Issue[] = networkIssue ? [networkIssue] : []
  for (const [line, row] of rows.entries()) {
    issues.push(...validateSheetValues(sheet, row, `[${line}]`))
    if (issues.length >= maxIssues) break
  }
  return issues.slice(0, maxIssues)
}

function assertMintable({ status }: SheetRow): void {
  if (status === 'ACTIVE' || status === 'UNLISTED') return
  throw createProblem(
    'DPP_PRODUCT_NOT_MINTABLE',
    `The sheet is ${status}; only an ACTIVE or UNLISTED sheet can be minted.`,
  )
}

type MintTarget = Pick<NewTokenOperation, 'organization' | 'application' | 'network' | 'job'>

/**
 * Creates the operation that mints a passport to its application's issuer. Its identifier is always the same for one
 * passport on one network.
 */
function createMintOperation({ id, tokenId, line }: MintBatchRow, mintTarget: MintTarget): NewTokenOperation {
  return { ...mintTarget, id: `mint:${mintTarget.network}:${id}`, kind: 'mintToIssuer', tokenId, line }
}
