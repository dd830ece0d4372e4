import { isAnswer, type Answer } from '../../../../kernel/answer.ts'
import type { OrganizationCaller } from '../../../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { getRecordSink } from '../../../../kernel/ports/record-sinks.ts'
import { createJsonValidator } from '../../../../kernel/json/schema-validators.ts'
import { createValidationProblem, type Issue, ProblemError } from '../../../../kernel/problem.ts'
import { list, object, oneOf, optional, string, Type } from '../../../../kernel/schema.ts'
import type { Work } from '../../../../kernel/work.ts'
import {
  applyChange,
  updateDraft,
  duplicatePolicies,
  hasColumns,
  validateMapperRows,
  findMapperRows,
  readFileSample,
  previewDraft,
  startDraftImport,
  suggestCorrespondences,
  type Draft,
  type FileSample,
  MapperRow,
  type MappingChange,
  type DraftPreview,
} from '../../../../features/imports/index.ts'
import { html, type Markup } from '../../../site/html.ts'
import { assertPermission, memberPageOptions } from '../../console.ts'
import { renderFramed } from '../../frame/frame.ts'
import { explainError } from '../faults.ts'
import { importsPath, newImportPath } from '../imports.views.ts'
import { openDraft, redirectTo, getStepAddress, type OpenedDraft } from './new.draft.ts'
import { parseMapping, type MappingForm } from './new.form.ts'
import { findSheetOfRows } from './new.sheet.ts'
import { renderMappingPage, type MappingView } from './new.mapping.views.ts'
import { renderPreviewPage } from './new.preview.views.ts'
import { renderBrokenPage } from './new.views.ts'
import { importWords } from '../words.ts'
import { getProblemStatus } from '../../../site/layout.ts'

/** Returns the first rows of the file with its fields, or the page that says why it cannot be read. */
export async function readSample({ page, draft }: OpenedDraft): Promise<FileSample | Answer> {
  try {
    return await readFileSample(page.work.context.db, draft)
  } catch (error) {
    const content = renderBrokenPage(draft, explainError(error, page.language), page.language)
    return renderFramed(page, { title: importWords[page.language].brokenTitle, status: 400 }, content)
  }
}

async function renderMapping({ page, draft }: OpenedDraft, view: Omit<MappingView, 'sheet'>): Promise<Answer> {
  const sheet = await findSheetOfRows(page, view.rows)
  return renderFramed(
    page,
    { title: importWords[page.language].mappingTitle, ...(view.wrong.length > 0 && { status: 400 }) },
    renderMappingPage(page, draft, { ...view, sheet }),
  )
}

/** The third step: each column with its examples and its destination. */
const mappingOperation = declareOperation({
  id: 'console_import_mapping_page_v1',
  method: 'GET',
  path: `${newImportPath}/:upload/mapping`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Where columns go' },
}).withOutboundHandler(async (input) => {
  const opened = await openDraft(input, '/mapping')
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  if (draft.application === undefined) return redirectTo(getStepAddress(draft.upload))
  const sample = await readSample(opened)
  if (isAnswer(sample)) return sample
  const { fields } = sample
  const { application, granularity } = draft
  const suggested = draft.rows
    ? null
    : await suggestCorrespondences(page.work, { application, granularity, sample }, input.request.signal)
  return renderMapping(opened, { fields, suggested, rows: draft.rows ?? null, wrong: [] })
})

const mapOperation = declareOperation({
  id: 'console_import_map_page_v1',
  method: 'POST',
  path: `${newImportPath}/:upload/mapping`,
  ...memberPageOptions,
  body: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), { maxProperties: 5_000 }),
  document: { tag: 'Pages', summary: 'Say where columns go' },
}).withOutboundHandler(async (input) => {
  const opened = await openDraft(input, '/mapping')
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const sample = await readSample(opened)
  if (isAnswer(sample)) return sample
  const { fields } = sample
  const rows = parseMapping(input.body as MappingForm, fields)
  const wrong = rows.some(({ kind }) => kind === 'field')
    ? listIssues(rows, draft)
    : [html`${importWords[page.language].noColumn}`]
  if (wrong.length > 0) return renderMapping(opened, { fields, suggested: null, rows, wrong })
  await updateDraft(page.work.context.db, page.member.organization, draft.upload, { rows, plain: null })
  return redirectTo(getStepAddress(draft.upload, '/preview'))
})

/** Lists the issues of the rows as texts that begin with the row's source or destination. */
const listIssues = (rows: readonly MapperRow[], { dialect }: Draft): Markup[] =>
  validateMapperRows(rows, hasColumns(dialect.format) ? 'csv' : 'json', getRecordSink())
    .slice(0, 20)
    .map(({ path, message }) => {
      const row = rows[Number(/^rows\[(\d+)\]/.exec(path)?.[1] ?? -1)]
      const member = path.replace(/^rows\[\d+\]\.?/, '')
      return html`${row && `${String(row.source ?? row.destination)}: `}<span lang="en">${member} ${message}</span>`
    })

/**
 * Finds the rows of the draft's mapper, or as they were chosen; null if the file needs no mapper, undefined if none is
 * chosen.
 */
async function findRows(
  work: Work,
  member: OrganizationCaller,
  draft: Draft,
): Promise<readonly MapperRow[] | null | undefined> {
  if (draft.rows) return draft.rows
  if (draft.plain) return null
  return draft.mapper === undefined ? undefined : findMapperRows(work, member, draft.mapper)
}

/** The fourth step: the first rows as passports, and the start of the import. */
const previewOperation = declareOperation({
  id: 'console_import_preview_page_v1',
  method: 'GET',
  path: `${newImportPath}/:upload/preview`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'The first rows as passports' },
}).withReadHandler(async (input) => {
  const opened = await openDraft(input, '/preview')
  return isAnswer(opened) ? opened : renderPreview(opened)
})

async function renderPreview({ page, draft }: OpenedDraft, name?: string, problem?: ProblemError): Promise<Answer> {
  const { work, member, language } = page
  const rows = await findRows(work, member, draft)
  const { application } = draft
  if (application === undefined || rows === undefined) return redirectTo(getStepAddress(draft.upload))
  const options = { title: importWords[language].previewTitle, ...getProblemStatus(problem) }
  const show = (preview: DraftPreview, wrong: Markup | undefined) =>
    renderFramed(page, options, renderPreviewPage(page, draft, { preview, rows: rows ?? [], wrong, name }))
  try {
    const wrong = problem && explainError(problem, language)
    return await show(await previewDraft(work.context, member.organization, { ...draft, application }, rows), wrong)
  } catch (error) {
    return show({ checked: 0, failed: 0, rows: [] }, explainError(error, language))
  }
}

const Change = object({
  remove: list(Type.String({ maxLength: 500 }), 'Destinations whose rows go.', { maxItems: 20 }),
  add: list(MapperRow, 'Rows that come.', { maxItems: 20 }),
})
const validateChange = createJsonValidator(() => Change)

/** Parses the change of a mapping that a button sends. @throws VALIDATION_FAILED */
function parseChange(text: string): MappingChange {
  const issues = (wrong: readonly Issue[]) => createValidationProblem(wrong.map((one) => ({ ...one, path: 'change' })))
  let change: unknown
  try {
    change = JSON.parse(text)
  } catch {
    throw issues([{ path: '', code: 'format', message: 'is no JSON' }])
  }
  const wrong = validateChange(change, '', text.length)
  if (wrong.length > 0) throw issues(wrong)
  return change as MappingChange
}

/** A change of the mapping that the preview offers, after which it is shown again. */
const fixOperation = declareOperation({
  id: 'console_import_fix_page_v1',
  method: 'POST',
  path: `${newImportPath}/:upload/fix`,
  ...memberPageOptions,
  body: object({ change: string('The change, as JSON.', { maxLength: 20_000 }) }),
  document: { tag: 'Pages', summary: 'Change a mapping so that rows do not fail' },
}).withOutboundHandler(async (input) => {
  const opened = await openDraft(input, '/preview')
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const present = await findRows(page.work, page.member, draft)
  if (!present) return redirectTo(getStepAddress(draft.upload))
  const rows = applyChange(present, parseChange(input.body.change))
  const wrong = listIssues(rows, draft)
  if (wrong.length > 0) {
    const sample = await readSample(opened)
    return isAnswer(sample) ? sample : renderMapping(opened, { fields: sample.fields, suggested: null, rows, wrong })
  }
  // A mapper that was chosen stays as it is: what differs from it is kept under another name.
  const change = { rows, plain: null, ...(!draft.own && { mapper: null }) }
  await updateDraft(page.work.context.db, page.member.organization, draft.upload, change)
  return redirectTo(getStepAddress(draft.upload, '/preview'))
})

/** The last step: a dry run or the import. New rows are stored as a mapper for the next file. */
const beginOperation = declareOperation({
  id: 'console_import_start_page_v1',
  method: 'POST',
  path: `${newImportPath}/:upload/start`,
  ...memberPageOptions,
  body: object({
    onDuplicate: oneOf(duplicatePolicies, 'What becomes of rows whose passport is there already.'),
    what: oneOf(['dryRun', 'import'], 'Whether anything is written.'),
    name: optional(string('Name of the new mapper.', { maxLength: 200 })),
  }),
  document: { tag: 'Pages', summary: 'Begin an import' },
}).withOutboundHandler(async (input) => {
  const { body } = input
  const opened = await openDraft(input, '/preview')
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  if (body.onDuplicate === 'update') assertPermission(page.member, 'dpp:update')
  try {
    return await input.finish(async (inside) => {
      const { onDuplicate, what, name = '' } = body
      const beginning = { onDuplicate, dryRun: what === 'dryRun', name: name.trim() }
      const id = await startDraftImport(inside, page.member, draft.upload, beginning)
      return redirectTo(`${importsPath}/${id}`)
    })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error
    const again = await openDraft(input, '/preview')
    return isAnswer(again) ? again : renderPreview(again, body.name, error)
  }
})

export const stepPages: Operation[] = [mappingOperation, mapOperation, previewOperation, fixOperation, beginOperation]
