import { isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../../kernel/schema.ts'
import type { ReceivedUpload } from '../../../../kernel/upload.ts'
import type { Work } from '../../../../kernel/work.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import { getRecordSink } from '../../../../kernel/ports/record-sinks.ts'
import {
  detectGranularity,
  updateDraft,
  maxFileBytes,
  createDrafts,
  listMapperChoices,
  receiveDraft,
  type Draft,
  type ReceivedDraft,
} from '../../../../features/imports/index.ts'
import type { Markup } from '../../../site/html.ts'
import { memberPageOptions, type ActiveMember } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { explainError } from '../faults.ts'
import { newImportPath } from '../imports.views.ts'
import { openDraft, redirectTo, getStepAddress, type OpenedDraft } from './new.draft.ts'
import { samplePages } from './new.sample.ts'
import { createSheetRows, findImportSheet, listUsableSheets } from './new.sheet.ts'
import { readSample, stepPages } from './new.steps.ts'
import { renderChoicePage, renderUploadPage } from './new.views.ts'
import { importWords } from '../words.ts'

/** The first step: the file. */
const startOperation = declareOperation({
  id: 'console_import_new_page_v1',
  method: 'GET',
  path: newImportPath,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A new import' },
}).withReadHandler(async (input) => {
  const page = openPage(input, newImportPath, 'dpp:create')
  return isAnswer(page) ? page : renderUpload(page)
})

const renderUpload = (page: ConsolePage, wrong?: Markup): Promise<Answer> =>
  renderFramed(
    page,
    { title: importWords[page.language].add, ...(wrong && { status: 400 }) },
    renderUploadPage(importWords[page.language], wrong),
  )

/** The result of an upload: a page that says what was wrong, or a file to decide about. */
type UploadResult = ReceivedUpload
  & ({ answer: Answer } | { answer?: undefined; page: ConsolePage; kept: ReceivedDraft })
const nothingReceived: ReceivedUpload = { digest: Buffer.alloc(0), discard: async () => undefined }

/** Receives the file like one that is sent to the API, and keeps it for an hour while the member decides about it. */
const uploadOperation = declareOperation({
  id: 'console_import_upload_page_v1',
  method: 'POST',
  path: newImportPath,
  ...memberPageOptions,
  upload: {
    'multipart/form-data': object({ file: string('The file: CSV, Excel or JSON.', { contentEncoding: 'binary' }) }),
  },
  transport: { ...memberPageOptions.transport, maxBodyBytes: maxFileBytes, tooLargeCode: 'IMPORT_TOO_LARGE' },
  document: { tag: 'Pages', summary: 'Upload a file' },
}).withUploadHandler<UploadResult>(
  async (input) => {
    const page = openPage(input, newImportPath, 'dpp:create')
    if (isAnswer(page)) return { ...nothingReceived, answer: page }
    try {
      const kept = await receiveDraft({ context: input.context, caller: page.member, upload: input.upload })
      return { digest: kept.digest, discard: kept.discard, page, kept }
    } catch (error) {
      return { ...nothingReceived, answer: await renderUpload(page, explainError(error, page.language)) }
    }
  },
  async ({ received, work }) => {
    if (received.answer) return received.answer
    const { page, kept } = received
    const { staged, sheets, fileName } = kept
    await createDrafts(work.trx, page.member.organization, { sheets, fileName })
    return redirectTo(getStepAddress(staged.upload))
  },
)

/** The second step: the application of the passports, and how the file's columns become passports. */
const choiceOperation = declareOperation({
  id: 'console_import_choice_page_v1',
  method: 'GET',
  path: `${newImportPath}/:upload`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'How a file becomes passports' },
}).withReadHandler(async (input) => {
  const opened = await openDraft(input)
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const sample = await readSample(opened)
  if (isAnswer(sample)) return sample
  const found = detectGranularity(sample.fields, sample, getRecordSink())
  const { trx } = page.work
  const { organization } = page.member
  const [applications, sheets, mappers] = await Promise.all([
    listApplicationChoices(trx, organization),
    listUsableSheets(page),
    listMapperChoices(trx, organization, { format: draft.dialect.format, entity: 'DppPassport' }),
  ])
  const content = renderChoicePage(page, draft, { applications, sheets, mappers, granularity: found })
  return renderFramed(page, { title: importWords[page.language].choiceTitle }, content)
})

const chooseOperation = declareOperation({
  id: 'console_import_choose_page_v1',
  method: 'POST',
  path: `${newImportPath}/:upload`,
  ...memberPageOptions,
  body: object({
    application: string('Identifier of the application.', { format: 'uuid' }),
    how: string('suggest, sheet, plain, or the identifier of a mapper.', {
      pattern: '^(suggest|sheet|plain|[0-9a-f-]{36})$',
    }),
    sheet: optional(string('Identifier of the sheet, for `sheet`.', { format: 'uuid' })),
    row: optional(oneOf(['model', 'batch', 'item', 'column'], 'What a row is, for `suggest`; column: one says it.')),
  }),
  document: { tag: 'Pages', summary: 'Choose how a file is read' },
}).withTransactionHandler(async (input) => {
  const { application, how } = input.body
  const { upload } = input.params
  const opened = await openDraft(input)
  if (isAnswer(opened)) return opened
  const { page, draft } = opened
  const { member, work } = page
  if (!(await listApplicationChoices(work.trx, member.organization)).some(({ id }) => id === application))
    throw createNotFoundProblem()
  if (how === 'sheet') return chooseSheet(opened, input.body.sheet ?? '')
  const emptyChoices = { rows: null, mapper: null, plain: null, own: null }
  if (how === 'suggest') {
    const { row = 'column' } = input.body
    const granularity = row === 'column' ? null : row
    const isSame =
      draft.application === application && draft.rows !== undefined && (draft.granularity ?? null) === granularity
    const change = isSame ? { plain: null } : { ...emptyChoices, application, granularity }
    await updateDraft(work.trx, member.organization, upload, change)
    return redirectTo(getStepAddress(upload, '/mapping'))
  }
  const choice = how === 'plain' ? { application, plain: true as const } : await chooseMapper(work, member, draft, how)
  await updateDraft(work.trx, member.organization, upload, { ...emptyChoices, ...choice })
  return redirectTo(getStepAddress(upload, '/preview'))
})

/**
 * Chooses a sheet, whose fields the columns are matched with.
 * @returns the way to the page where that can be changed, or the page that says why the file cannot be read
 * @throws NOT_FOUND for a sheet that the organization does not have, or has archived
 */
async function chooseSheet(opened: OpenedDraft, id: string): Promise<Answer> {
  const { page, draft } = opened
  const sheet = await findImportSheet(page, id)
  if (!sheet) throw createNotFoundProblem()
  const sample = await readSample(opened)
  if (isAnswer(sample)) return sample
  await updateDraft(page.work.trx, page.member.organization, draft.upload, {
    application: sheet.application,
    rows: createSheetRows(sheet, sample.fields),
    mapper: null,
    plain: null,
    own: null,
  })
  return redirectTo(getStepAddress(draft.upload, '/mapping'))
}

/**
 * Chooses a mapper, which makes passports of its own application.
 * @throws NOT_FOUND if it does not read files of this format
 */
async function chooseMapper(work: Work, { organization }: ActiveMember, { dialect }: Draft, id: string) {
  const mapper = (
    await listMapperChoices(work.trx, organization, { format: dialect.format, entity: 'DppPassport' })
  ).find((one) => one.id === id)
  if (!mapper) throw createNotFoundProblem()
  return { mapper: mapper.id, application: mapper.application }
}

/** The pages that lead a file from its upload to its import. */
export const newImportPages: Operation[] = [
  startOperation,
  uploadOperation,
  choiceOperation,
  chooseOperation,
  ...samplePages,
  ...stepPages,
]
