import { hash } from 'node:crypto'
import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { ProblemError } from '../../../kernel/problem.ts'
import { integer, object, oneOf, optional, string } from '../../../kernel/schema.ts'
import {
  previewMint,
  readMigrationJob,
  readMintJob,
  readMintView,
  readOwnSheet,
  startMint,
  type Sheet,
} from '../../../features/dpp/index.ts'
import { presentJob } from '../../../features/jobs/index.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { maxTableLength, renderJob, renderMint, resultsPerPage } from './mint.views.ts'
import { getSheetAddress as getAddress, sheetsPath as path } from './sheets.views.ts'
import { parseTable, toFaults, type PastedTable, type TableFault } from './table.ts'
import { addSheetRefusals, sheetWords } from './words.ts'

/** The form for a table of passports. */
const formOperation = declareOperation({
  id: 'console_sheet_mint_page_v1',
  method: 'GET',
  path: `${path}/:id/mint`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A table of passports to mint' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id, '/mint'), 'dpp:create')
  if (isAnswer(page)) return page
  return renderForm(page, await readOwnSheet(page.work, input.params.id), { text: '' })
})

interface CheckedText {
  text: string
  table?: PastedTable
  faults?: readonly TableFault[]
  isChanged?: boolean
  status?: number
}

const computeDigest = (text: string): string => hash('sha256', text, 'base64url')

function renderForm(page: ConsolePage, sheet: Sheet, checked: CheckedText): Promise<Answer> {
  const { text, table = null, faults = [], isChanged = false, status } = checked
  const title = sheetWords[page.language].mintTitle(sheet.name)
  const view = { text, table, faults, digest: computeDigest(text), isChanged }
  return renderFramed(page, { title, ...(status !== undefined && { status }) }, renderMint(page, sheet, view))
}

/** Tells what the operation would refuse of a table. */
async function checkTable(page: ConsolePage, sheet: Sheet, text: string): Promise<CheckedText> {
  const table = parseTable(text, sheet.passportsFields, sheetWords[page.language])
  if (table.faults.length > 0) return { text, table, faults: table.faults, status: 422 }
  try {
    await previewMint(page.work, page.member, sheet.id, table.rows)
    return { text, table }
  } catch (cause) {
    return explainRefusal(page, { text, table }, cause)
  }
}

function explainRefusal(page: ConsolePage, { text, table }: { text: string; table: PastedTable }, cause: unknown) {
  const problem = getRefusal(cause)
  const { issues, refusals } = addSheetRefusals(page)
  const own = refusals[problem.code]
  const faults =
    own === undefined
      ? toFaults(problem, table, { issueWords: issues, language: page.language })
      : [{ line: null, text: own, isEnglish: false }]
  return { text, table, faults, status: problem.status }
}

/** Checks a table, or mints the passports of one that was checked. */
const mintOperation = declareOperation({
  id: 'console_sheet_mint_write_page_v1',
  method: 'POST',
  path: `${path}/:id/mint`,
  ...memberPageOptions,
  body: object({
    table: string('A passport a line.', { maxLength: maxTableLength }),
    checked: optional(string('What the checked table hashes to.', { maxLength: 60 })),
    act: oneOf(['check', 'mint'], 'Whether to tell what would become of the lines, or to mint them.'),
  }),
  transport: { ...memberPageOptions.transport, maxBodyBytes: 9 * maxTableLength },
  document: { tag: 'Pages', summary: 'Mint a table of passports' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id, '/mint'), 'dpp:create')
  if (isAnswer(page)) return page
  const { table: text, checked, act } = input.body
  const sheet = await readOwnSheet(page.work, id)
  if (act === 'check' || checked !== computeDigest(text)) {
    const found = await checkTable(page, sheet, text)
    return renderForm(page, sheet, { ...found, isChanged: act === 'mint' })
  }
  const table = parseTable(text, sheet.passportsFields, sheetWords[page.language])
  if (table.faults.length > 0) return renderForm(page, sheet, { text, table, faults: table.faults, status: 422 })
  try {
    return await input.finish(async (work) => {
      const { jobId } = await startMint(work, page.member, id, table.rows)
      return answerRedirect(getAddress(id, `/jobs/${jobId}`), undefined, 303)
    })
  } catch (cause) {
    return renderForm(page, sheet, explainRefusal(page, { text, table }, cause))
  }
})

/** A job of a sheet: a mint, or the judging of its passports by new fields. */
const jobOperation = declareOperation({
  id: 'console_sheet_job_page_v1',
  method: 'GET',
  path: `${path}/:id/jobs/:job`,
  ...memberPageOptions,
  query: { page: optional(integer('Page of the passports, from 1.', { minimum: 1, maximum: 10_000, default: 1 })) },
  document: { tag: 'Pages', summary: 'A job of a sheet' },
}).withReadHandler(async (input) => {
  const { id, job: jobId } = input.params
  const page = openPage(input, getAddress(id, `/jobs/${jobId}`), 'dpp:read')
  if (isAnswer(page)) return page
  const sheet = await readOwnSheet(page.work, id)
  const currentPage = input.query.page ?? 1
  const job = await readJob(page, id, jobId, currentPage)
  const title = `${job.type === 'mint' ? sheetWords[page.language].jobMint : sheetWords[page.language].jobMigrate}: ${sheet.name}`
  const options = { title, ...(job.status === 'pending' && { refresh: 1, script: '/assets/imports.js' }) }
  return renderFramed(page, options, renderJob(page, { sheet, job, currentPage }))
})

async function readJob({ member, work }: ConsolePage, sheet: string, id: string, currentPage: number) {
  try {
    const row = await readMintJob(work, member, sheet, id)
    return await readMintView(work.trx, row, { currentPage, pageSize: resultsPerPage })
  } catch (cause) {
    if (!(cause instanceof ProblemError) || cause.code !== 'DPP_MINT_JOB_NOT_FOUND') throw cause
    return presentJob(await readMigrationJob(work, member, sheet, id))
  }
}

export const sheetMintPages: Operation[] = [formOperation, mintOperation, jobOperation]
