import { isAnswer, type Answer } from '../kernel/answer.ts'
import type { OrganizationCaller } from '../kernel/caller.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { Problem } from '../kernel/problem.ts'
import { object, oneOf, optional, string, Type } from '../kernel/schema.ts'
import type { Context, Work } from '../kernel/work.ts'
import {
  changeDraft, duplicatePolicies, hasColumns, judgeRows, mapperRows, peek, previewDraft, startDraft, suggestFor,
  type Draft, type FileField, type MapperRow, type PreviewRow,
} from '../features/imports/index.ts'
import { consolePage, demand, forMembers } from './console.ts'
import { readMapping, type MappingForm } from './import-new.form.ts'
import { open, to, way, type Opened } from './import-new.open.ts'
import { brokenPage, mappingPage, previewPage } from './import-new.views.ts'
import { sentenceOf } from './imports.views.ts'

/** The fields of the file, or the page that says why it cannot be read. */
async function fieldsOf(context: Context, { member, draft }: Opened): Promise<FileField[] | Answer> {
  try {
    return (await peek(context.db, draft, 0)).fields
  } catch (error) {
    const wrong = sentenceOf(error)
    if (wrong === null) throw error
    return consolePage(context, member, { title: 'This file cannot be read', status: 400 }, brokenPage(draft, wrong))
  }
}

/** Third step: each column with its examples and where it goes. */
const map = operation({
  id: 'console_import_mapping_page_v1', method: 'GET', path: '/console/imports/new/:upload/mapping',
  summary: 'Where columns go',
  ...forMembers,
}).performedBy(async ({ caller, params: { upload }, context, request, work }) => {
  const opened = await open(caller, context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  if (draft.application === undefined) return to(way(upload))
  const fields = await fieldsOf(context, opened)
  if (isAnswer(fields)) return fields
  const suggested = draft.rows ? null : await suggestFor(work, draft.application, fields, request.signal)
  const options = { fields, suggested, rows: draft.rows ?? null, wrong: [] }
  return consolePage(context, member, { title: 'Where the columns go' }, mappingPage(draft, options))
})

const mapped = operation({
  id: 'console_import_map_page_v1', method: 'POST', path: '/console/imports/new/:upload/mapping',
  summary: 'Say where columns go',
  ...forMembers, body: Type.Record(Type.String(), Type.String({ maxLength: 2_000 }), { maxProperties: 5_000 }),
}).performedBy(async ({ body, caller, params: { upload }, context }) => {
  const opened = await open(caller, context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  const fields = await fieldsOf(context, opened)
  if (isAnswer(fields)) return fields
  const rows = readMapping(body as MappingForm, fields)
  const wrong = rows.some(({ kind }) => kind === 'field') ? wrongIn(rows, draft) : ['No column goes anywhere yet.']
  if (wrong.length > 0) {
    const options = { title: 'Where the columns go', status: 400 }
    return consolePage(context, member, options, mappingPage(draft, { fields, suggested: null, rows, wrong }))
  }
  await changeDraft(context.db, member.organization, upload, { rows, plain: null })
  return to(way(upload, '/preview'))
})

/** What keeps rows from being a mapper, each with where it is about. */
const wrongIn = (rows: readonly MapperRow[], { dialect }: Draft): string[] =>
  judgeRows(rows, hasColumns(dialect.format) ? 'csv' : 'json').slice(0, 20).map(({ path, message }) => {
    const row = rows[Number(/^rows\[(\d+)\]/.exec(path)?.[1] ?? -1)]
    return `${row ? `${String(row.source ?? row.destination)}: ` : ''}${path.replace(/^rows\[\d+\]\.?/, '')} ${message}`
  })

/** The rows that the draft's passports are made by: of its mapper, or as they were chosen; null for none. */
async function rowsOf(
  work: Work, member: OrganizationCaller, draft: Draft,
): Promise<readonly MapperRow[] | null | undefined> {
  if (draft.rows) return draft.rows
  if (draft.plain) return null
  return draft.mapper === undefined ? undefined : mapperRows(work, member, draft.mapper)
}

/** Fourth step: the first rows as passports, and the beginning of the import. */
const preview = operation({
  id: 'console_import_preview_page_v1', method: 'GET', path: '/console/imports/new/:upload/preview',
  summary: 'The first rows as passports',
  ...forMembers,
}).readBy(async ({ caller, params: { upload }, work }) => {
  const opened = await open(caller, work.context, upload)
  return 'way' in opened ? opened.way : previewOf(work, opened)
})

async function previewOf(work: Work, { member, draft }: Opened, name?: string, problem?: Problem): Promise<Answer> {
  const rows = await rowsOf(work, member, draft)
  const { application } = draft
  if (application === undefined || rows === undefined) return to(way(draft.upload))
  const options = { title: 'The first rows as passports', ...(problem && { status: problem.status }) }
  const shown = (passports: readonly PreviewRow[], wrong: string | null) =>
    consolePage(work.context, member, options, previewPage(draft, { passports, wrong, name }))
  try {
    const wrong = problem ? sentenceOf(problem) : null
    return await shown(await previewDraft(work.context, member.organization, { ...draft, application }, rows), wrong)
  } catch (error) {
    const wrong = sentenceOf(error)
    if (wrong === null) throw error
    return shown([], wrong)
  }
}

/** Last step: a dry run, or the import. A new mapping becomes a mapper, so that the next file needs no thought. */
const begin = operation({
  id: 'console_import_start_page_v1', method: 'POST', path: '/console/imports/new/:upload/start',
  summary: 'Begin an import',
  ...forMembers,
  body: object({
    onDuplicate: oneOf(duplicatePolicies, 'What becomes of rows whose passport is there already.'),
    what: oneOf(['dryRun', 'import'], 'Whether anything is written.'),
    name: optional(string('Name of the new mapper.', { maxLength: 200 })),
  }),
}).performedBy(async ({ body, caller, params: { upload }, context, work, finish }) => {
  const opened = await open(caller, context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  if (body.onDuplicate === 'update') demand(member, 'dpp:update')
  try {
    return await finish(async (inside) => {
      const { onDuplicate, what, name = '' } = body
      const beginning = { onDuplicate, dryRun: what === 'dryRun', name: name.trim() }
      const id = await startDraft(inside, member, draft.upload, beginning)
      return to(`/console/imports/${id}`)
    })
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const again = await open(caller, context, upload)
    return 'way' in again ? again.way : previewOf(work, again, body.name, error)
  }
})

export const stepPages: Operation[] = [map, mapped, preview, begin]
