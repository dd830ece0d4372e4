import { isAnswer, type Answer } from '../../kernel/answer.ts'
import type { OrganizationCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { getRecordSink } from '../../kernel/ports/record-sinks.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { object, oneOf, optional, string, Type } from '../../kernel/schema.ts'
import type { Context, Work } from '../../kernel/work.ts'
import {
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
  type FileField,
  type MapperRow,
  type PreviewRow,
} from '../../features/imports/index.ts'
import { renderConsolePage, assertPermission, memberPageOptions } from './console.ts'
import { parseMapping, type MappingForm } from './import-new.form.ts'
import { openDraft, redirectTo, getStepAddress, type OpenedDraft } from './import-new.draft.ts'
import { renderBrokenPage, renderMappingPage, renderPreviewPage } from './import-new.views.ts'
import { toSentence } from './imports.views.ts'

/** Returns the fields of the file, or the page that says why it cannot be read. */
async function readFields(context: Context, { member, draft }: OpenedDraft): Promise<FileField[] | Answer> {
  try {
    return (await readFileSample(context.db, draft, 0)).fields
  } catch (error) {
    const wrong = toSentence(error)
    if (wrong === null) throw error
    return renderConsolePage(
      context,
      member,
      { title: 'This file cannot be read', status: 400 },
      renderBrokenPage(draft, wrong),
    )
  }
}

/** The third step: each column with its examples and its destination. */
const mappingOperation = declareOperation({
  id: 'console_import_mapping_page_v1',
  method: 'GET',
  path: '/console/imports/new/:upload/mapping',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Where columns go' },
}).withOutboundHandler(async ({ caller, params: { upload }, context, request, work }) => {
  const opened = await openDraft(caller, context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  if (draft.application === undefined) return redirectTo(getStepAddress(upload))
  const fields = await readFields(context, opened)
  if (isAnswer(fields)) return fields
  const suggested = draft.rows
    ? null
    : await suggestCorrespondences(work, { application: draft.application, fields }, request.signal)
  const options = { fields, suggested, rows: draft.rows ?? null, wrong: [] }
  const page = { title: 'Where the columns go', here: getStepAddress(upload, '/mapping') }
  return renderConsolePage(context, member, page, renderMappingPage(draft, options))
})

const mapOperation = declareOperation({
  id: 'console_import_map_page_v1',
  method: 'POST',
  path: '/console/imports/new/:upload/mapping',
  ...memberPageOptions,
  body: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), { maxProperties: 5_000 }),
  document: { tag: 'Pages', summary: 'Say where columns go' },
}).withOutboundHandler(async ({ body, caller, params: { upload }, context }) => {
  const opened = await openDraft(caller, context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  const fields = await readFields(context, opened)
  if (isAnswer(fields)) return fields
  const rows = parseMapping(body as MappingForm, fields)
  const wrong = rows.some(({ kind }) => kind === 'field') ? listIssues(rows, draft) : ['No column goes anywhere yet.']
  if (wrong.length > 0) {
    const options = { title: 'Where the columns go', status: 400 }
    return renderConsolePage(
      context,
      member,
      options,
      renderMappingPage(draft, { fields, suggested: null, rows, wrong }),
    )
  }
  await updateDraft(context.db, member.organization, upload, { rows, plain: null })
  return redirectTo(getStepAddress(upload, '/preview'))
})

/** Lists the issues of the rows as texts that begin with the row's source or destination. */
const listIssues = (rows: readonly MapperRow[], { dialect }: Draft): string[] =>
  validateMapperRows(rows, hasColumns(dialect.format) ? 'csv' : 'json', getRecordSink())
    .slice(0, 20)
    .map(({ path, message }) => {
      const row = rows[Number(/^rows\[(\d+)\]/.exec(path)?.[1] ?? -1)]
      return `${row ? `${String(row.source ?? row.destination)}: ` : ''}${path.replace(/^rows\[\d+\]\.?/, '')} ${message}`
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
  path: '/console/imports/new/:upload/preview',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'The first rows as passports' },
}).withReadHandler(async ({ caller, params: { upload }, work }) => {
  const opened = await openDraft(caller, work.context, upload)
  return 'way' in opened ? opened.way : renderPreview(work, opened)
})

async function renderPreview(
  work: Work,
  { member, draft }: OpenedDraft,
  name?: string,
  problem?: ProblemError,
): Promise<Answer> {
  const rows = await findRows(work, member, draft)
  const { application } = draft
  if (application === undefined || rows === undefined) return redirectTo(getStepAddress(draft.upload))
  const options = { title: 'The first rows as passports', ...(problem && { status: problem.status }) }
  const shown = (passports: readonly PreviewRow[], wrong: string | null) =>
    renderConsolePage(work.context, member, options, renderPreviewPage(draft, { passports, wrong, name }))
  try {
    const wrong = problem ? toSentence(problem) : null
    return await shown(
      await previewDraft(work.context, member.organization, { ...draft, application }, { rows }),
      wrong,
    )
  } catch (error) {
    const wrong = toSentence(error)
    if (wrong === null) throw error
    return shown([], wrong)
  }
}

/** The last step: a dry run or the import. New rows are stored as a mapper for the next file. */
const beginOperation = declareOperation({
  id: 'console_import_start_page_v1',
  method: 'POST',
  path: '/console/imports/new/:upload/start',
  ...memberPageOptions,
  body: object({
    onDuplicate: oneOf(duplicatePolicies, 'What becomes of rows whose passport is there already.'),
    what: oneOf(['dryRun', 'import'], 'Whether anything is written.'),
    name: optional(string('Name of the new mapper.', { maxLength: 200 })),
  }),
  document: { tag: 'Pages', summary: 'Begin an import' },
}).withOutboundHandler(async ({ body, caller, params: { upload }, context, work, finish }) => {
  const opened = await openDraft(caller, context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  if (body.onDuplicate === 'update') assertPermission(member, 'dpp:update')
  try {
    return await finish(async (inside) => {
      const { onDuplicate, what, name = '' } = body
      const beginning = { onDuplicate, dryRun: what === 'dryRun', name: name.trim() }
      const id = await startDraftImport(inside, member, draft.upload, beginning)
      return redirectTo(`/console/imports/${id}`)
    })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status >= 500) throw error
    const again = await openDraft(caller, context, upload)
    return 'way' in again ? again.way : renderPreview(work, again, body.name, error)
  }
})

export const stepPages: Operation[] = [mappingOperation, mapOperation, previewOperation, beginOperation]
