import { isAnswer, answerRedirect, type Answer } from '../../../../kernel/answer.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { declareOperation, type Operation, type RequestDetails } from '../../../../kernel/operation.ts'
import { getRecordSink } from '../../../../kernel/ports/record-sinks.ts'
import { ProblemError } from '../../../../kernel/problem.ts'
import { integer, object, oneOf, optional, Type } from '../../../../kernel/schema.ts'
import type { Work } from '../../../../kernel/work.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import {
  duplicatePolicies,
  findDraft,
  findDraftByTrial,
  hasColumns,
  previewDraft,
  readFileSample,
  readReport,
  startDraftImport,
  suggestCorrespondences,
  updateDraft,
  validateMapperRows,
  type Draft,
  type FileField,
  type FileSample,
  type MapperRow,
} from '../../../../features/imports/index.ts'
import { assertPermission, may, memberPageOptions } from '../../console.ts'
import { toSentence } from '../../imports/faults.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { entityName, parseColumns, type ColumnForm } from './import.form.ts'
import { renderReport } from './import.report.views.ts'
import { getDraftPath, getReportPath, importPath, renderColumns, renderGone, renderPreview } from './import.views.ts'
import { getProblemStatus } from '../../../site/layout.ts'

/** The number of errors of an import that a page shows. */
const errorPageSize = 50

interface OpenedDraft {
  page: ConsolePage
  draft: Draft
}

interface DraftInput {
  caller: Caller
  params: { upload: string }
  request: RequestDetails
  work: Work
}

/** Opens a page about a draft of assignments, or answers what is missing. */
async function openDraft({ params: { upload }, ...input }: DraftInput): Promise<OpenedDraft | Answer> {
  const page = openPage(input, importPath, 'loyalty:create')
  if (isAnswer(page)) return page
  const draft = await findDraft(page.work.trx, page.member.organization, upload)
  if (draft?.entityName === entityName) return { page, draft }
  return renderFramed(page, { title: page.words.import.goneTitle, status: 404 }, renderGone(page.words))
}

const redirectTo = (address: string) => answerRedirect(address, undefined, 303)

/** The second step: what each column is, and the application. */
const columnsOperation = declareOperation({
  id: 'console_assignment_columns_page_v1',
  method: 'GET',
  path: `${importPath}/:upload`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'What the columns of a table of assignments are' },
}).withOutboundHandler(async (input) => {
  const opened = await openDraft(input)
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const applications = await listApplicationChoices(page.work.trx, page.member.organization)
  try {
    const sample = await readFileSample(page.work.context.db, draft)
    const { fields } = sample
    const application = draft.application ?? applications[0]?.id
    const rows = draft.rows ?? (await suggestRows(page.work, application, sample, input.request.signal))
    return renderColumnsPage(opened, { applications, fields, rows, wrong: [] })
  } catch (error) {
    return renderColumnsPage(opened, { applications, fields: [], rows: [], wrong: [explain(error)] })
  }
})

/** @throws the error if it says nothing to people */
function explain(error: unknown): string {
  const wrong = toSentence(error)
  if (wrong === null) throw error
  return wrong
}

async function suggestRows(
  work: Work,
  application: string | undefined,
  sample: FileSample,
  signal: AbortSignal,
): Promise<MapperRow[]> {
  if (application === undefined) return []
  const suggested = await suggestCorrespondences(work, { application, entityName, sample }, signal)
  return suggested
    .filter(({ confidence, source }) => confidence !== 'low' && source !== null)
    .map(({ destination, source, transforms }) => ({ destination, kind: 'field', source: source ?? '', transforms }))
}

interface ColumnsView {
  applications: readonly { id: string; name: string }[]
  fields: readonly FileField[]
  rows: readonly MapperRow[]
  wrong: readonly string[]
}

const renderColumnsPage = ({ page, draft }: OpenedDraft, view: ColumnsView): Promise<Answer> =>
  renderFramed(
    page,
    { title: page.words.import.columnsTitle, wide: false, ...(view.wrong.length > 0 && { status: 400 }) },
    renderColumns(draft, { ...page, ...view }),
  )

const mapOperation = declareOperation({
  id: 'console_assignment_map_page_v1',
  method: 'POST',
  path: `${importPath}/:upload`,
  ...memberPageOptions,
  body: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), { maxProperties: 3_000 }),
  document: { tag: 'Pages', summary: 'Say what the columns of a table of assignments are' },
}).withOutboundHandler(async (input) => {
  const opened = await openDraft(input)
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const form = input.body as ColumnForm
  const { context, trx } = page.work
  const applications = await listApplicationChoices(trx, page.member.organization)
  const { fields } = await readFileSample(context.db, draft)
  const rows = parseColumns(form, fields)
  const application = applications.find(({ id }) => id === form['application'])
  const wrong = listIssues(rows, draft, page)
  if (!application || wrong.length > 0) return renderColumnsPage(opened, { applications, fields, rows, wrong })
  await updateDraft(context.db, page.member.organization, draft.upload, { rows, application: application.id })
  return redirectTo(getDraftPath(draft.upload, '/preview'))
})

function listIssues(rows: readonly MapperRow[], { dialect }: Draft, { words }: ConsolePage): string[] {
  if (rows.length === 0) return [words.import.noColumn]
  const format = hasColumns(dialect.format) ? 'csv' : 'json'
  return validateMapperRows(rows, format, getRecordSink(entityName))
    .slice(0, 20)
    .map(({ path, message }) => {
      const row = rows[Number(/^rows\[(\d+)\]/.exec(path)?.[1] ?? -1)]
      return `${String(row?.source ?? '')}: ${message}`
    })
}

/** The third step: what the first rows would make, and which of them are bad. */
const previewOperation = declareOperation({
  id: 'console_assignment_preview_page_v1',
  method: 'GET',
  path: `${importPath}/:upload/preview`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'What a table of assignments would make' },
}).withReadHandler(async (input) => {
  const opened = await openDraft(input)
  return isAnswer(opened) ? opened : renderPreviewPage(opened)
})

async function renderPreviewPage({ page, draft }: OpenedDraft, problem?: ProblemError): Promise<Answer> {
  const { application, rows } = draft
  if (application === undefined || !rows) return redirectTo(getDraftPath(draft.upload))
  const { context } = page.work
  const options = { title: page.words.import.previewTitle, wide: false, ...getProblemStatus(problem) }
  try {
    const chosen = { ...draft, application }
    const preview = await previewDraft(context, page.member.organization, chosen, rows)
    const wrong = problem ? explain(problem) : undefined
    return await renderFramed(page, options, renderPreview(draft, { ...page, preview, wrong }))
  } catch (error) {
    const wrong = explain(error)
    return renderFramed(
      page,
      { ...options, status: 400 },
      renderPreview(draft, { ...page, preview: { checked: 0, failed: 0, rows: [] }, wrong }),
    )
  }
}

/** The last step: a dry run or the import. */
const startOperation = declareOperation({
  id: 'console_assignment_start_page_v1',
  method: 'POST',
  path: `${importPath}/:upload/start`,
  ...memberPageOptions,
  body: object({
    onDuplicate: oneOf(duplicatePolicies, 'What becomes of people who have an assignment already.'),
    what: oneOf(['dryRun', 'import'], 'Whether anything is written.'),
  }),
  document: { tag: 'Pages', summary: 'Import a table of assignments' },
}).withOutboundHandler(async (input) => {
  const opened = await openDraft(input)
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const { onDuplicate, what } = input.body
  if (onDuplicate === 'update') assertPermission(page.member, 'loyalty:update')
  try {
    return await input.finish(async (work) => {
      const begun = { onDuplicate, dryRun: what === 'dryRun', name: null }
      return redirectTo(getReportPath(await startDraftImport(work, page.member, draft.upload, begun)))
    })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error
    const again = await openDraft(input)
    return isAnswer(again) ? again : renderPreviewPage(again, error)
  }
})

/** The report of an import: how far it is, and what became of its rows. */
const reportOperation = declareOperation({
  id: 'console_assignment_report_page_v1',
  method: 'GET',
  path: `${getReportPath('')}:id`,
  ...memberPageOptions,
  query: { page: optional(integer('Page of the errors, from 1.', { minimum: 1, maximum: 1_000_000, default: 1 })) },
  document: { tag: 'Pages', summary: 'What became of a table of assignments' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getReportPath(input.params.id), 'loyalty:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const currentPage = input.query.page ?? 1
  const report = await readReport(work, member, input.params.id, { currentPage, pageSize: errorPageSize })
  const { job } = report
  if (job.data.entityName !== entityName) return redirectTo(`/console/imports/${job.id}`)
  const mayGoOn = job.data.dryRun && may(member, 'loyalty:create')
  const tried = mayGoOn ? await findDraftByTrial(work.trx, member.organization, job.id) : undefined
  const options = {
    title: page.words.import.reportTitle,
    wide: false,
    ...(job.status === 'pending' && { refresh: 1, script: '/assets/imports.js' }),
  }
  return renderFramed(page, options, renderReport(report, { ...page, currentPage, draft: tried?.upload }))
})

export const importStepPages: Operation[] = [
  columnsOperation,
  mapOperation,
  previewOperation,
  startOperation,
  reportOperation,
]
