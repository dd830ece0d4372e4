import type { Answer } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { object, string } from '../../kernel/schema.ts'
import type { ReceivedUpload } from '../../kernel/upload.ts'
import type { Work } from '../../kernel/work.ts'
import { listApplicationChoices } from '../../features/applications/index.ts'
import {
  updateDraft,
  maxFileBytes,
  createDraft,
  listMapperChoices,
  receiveDraft,
  type Draft,
  type ReceivedDraft,
} from '../../features/imports/index.ts'
import {
  renderConsolePage,
  assertPermission,
  getMemberOrRedirect,
  memberPageOptions,
  isRedirect,
  type ActiveMember,
} from './console.ts'
import { openDraft, redirectTo, getStepAddress } from './import-new.draft.ts'
import { stepPages } from './import-new.steps.ts'
import { renderChoicePage, renderUploadPage } from './import-new.views.ts'
import { toSentence } from './imports.views.ts'

/** The first step: the file. */
const startOperation = declareOperation({
  id: 'console_import_new_page_v1',
  method: 'GET',
  path: '/console/imports/new',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A new import' },
}).withReadHandler(async ({ caller, work }) => {
  const member = getMemberOrRedirect(caller, '/console/imports/new')
  if (isRedirect(member)) return member
  assertPermission(member, 'dpp:create')
  return renderConsolePage(
    work.context,
    member,
    { title: 'New import', here: '/console/imports/new' },
    renderUploadPage(null),
  )
})

/** The result of an upload: a page that says what was wrong, or a file to decide about. */
type UploadResult = ReceivedUpload
  & ({ answer: Answer } | { answer?: undefined; member: ActiveMember; kept: ReceivedDraft })
const nothingReceived: ReceivedUpload = { digest: Buffer.alloc(0), discard: async () => undefined }

/** Receives the file like one that is sent to the API, and keeps it for an hour while the member decides about it. */
const uploadOperation = declareOperation({
  id: 'console_import_upload_page_v1',
  method: 'POST',
  path: '/console/imports/new',
  ...memberPageOptions,
  upload: {
    'multipart/form-data': object({ file: string('The file: CSV, Excel or JSON.', { contentEncoding: 'binary' }) }),
  },
  transport: { ...memberPageOptions.transport, maxBodyBytes: maxFileBytes, tooLargeCode: 'IMPORT_TOO_LARGE' },
  document: { tag: 'Pages', summary: 'Upload a file' },
}).withUploadHandler<UploadResult>(
  async ({ caller, context, upload }) => {
    const member = getMemberOrRedirect(caller, '/console/imports/new')
    if (isRedirect(member)) return { ...nothingReceived, answer: member }
    assertPermission(member, 'dpp:create')
    try {
      const kept = await receiveDraft({ context, caller: member, upload })
      return { digest: kept.digest, discard: kept.discard, member, kept }
    } catch (error) {
      const wrong = toSentence(error)
      if (wrong === null) throw error
      const answer = await renderConsolePage(
        context,
        member,
        { title: 'New import', status: 400 },
        renderUploadPage(wrong),
      )
      return { ...nothingReceived, answer }
    }
  },
  async ({ received, work }) => {
    if (received.answer) return received.answer
    const {
      member,
      kept: { staged, fileName },
    } = received
    await createDraft(work.trx, member.organization, { staged, fileName })
    return redirectTo(getStepAddress(staged.upload))
  },
)

/** The second step: the application of the passports, and how the file's columns become passports. */
const choiceOperation = declareOperation({
  id: 'console_import_choice_page_v1',
  method: 'GET',
  path: '/console/imports/new/:upload',
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'How a file becomes passports' },
}).withReadHandler(async ({ caller, params, work }) => {
  const opened = await openDraft(caller, work.context, params.upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  const [applications, mappers] = await Promise.all([
    listApplicationChoices(work.trx, member.organization),
    listMapperChoices(work.trx, member.organization, { format: draft.dialect.format, entity: 'DppPassport' }),
  ])
  const content = renderChoicePage(draft, { applications, mappers })
  return renderConsolePage(
    work.context,
    member,
    { title: 'How the file is read', here: getStepAddress(params.upload) },
    content,
  )
})

const chooseOperation = declareOperation({
  id: 'console_import_choose_page_v1',
  method: 'POST',
  path: '/console/imports/new/:upload',
  ...memberPageOptions,
  body: object({
    application: string('Identifier of the application.', { format: 'uuid' }),
    how: string('suggest, plain, or the identifier of a mapper.', { pattern: '^(suggest|plain|[0-9a-f-]{36})$' }),
  }),
  document: { tag: 'Pages', summary: 'Choose how a file is read' },
}).withTransactionHandler(async ({ body: { application, how }, caller, params: { upload }, work }) => {
  const opened = await openDraft(caller, work.context, upload)
  if ('way' in opened) return opened.way
  const { member, draft } = opened
  if (!(await listApplicationChoices(work.trx, member.organization)).some(({ id }) => id === application))
    throw createNotFoundProblem()
  const emptyChoices = { rows: null, mapper: null, plain: null, own: null }
  if (how === 'suggest') {
    const same = draft.application === application && draft.rows !== undefined
    await updateDraft(work.trx, member.organization, upload, same ? { plain: null } : { ...emptyChoices, application })
    return redirectTo(getStepAddress(upload, '/mapping'))
  }
  const choice = how === 'plain' ? { application, plain: true as const } : await chooseMapper(work, member, draft, how)
  await updateDraft(work.trx, member.organization, upload, { ...emptyChoices, ...choice })
  return redirectTo(getStepAddress(upload, '/preview'))
})

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
  ...stepPages,
]
