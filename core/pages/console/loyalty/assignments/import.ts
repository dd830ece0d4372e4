import { isAnswer, answerRedirect, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { ProblemError } from '../../../../kernel/problem.ts'
import { object, string } from '../../../../kernel/schema.ts'
import type { ReceivedUpload } from '../../../../kernel/upload.ts'
import type { Context, Work } from '../../../../kernel/work.ts'
import {
  createDraft,
  listImports,
  maxFileBytes,
  openPastedText,
  receiveDraft,
  type ImportJob,
  type ReceivedDraft,
} from '../../../../features/imports/index.ts'
import { memberPageOptions } from '../../console.ts'
import { toSentence } from '../../imports/faults.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { createFilter, createPageRequest } from '../../frame/lists.ts'
import { addHeader, entityName } from './import.form.ts'
import { importStepPages } from './import.steps.ts'
import { getDraftPath, importPath as path, renderFileForm } from './import.views.ts'

/** The maximum length of a pasted text, in characters. */
const maxPastedLength = 300_000

const formOperation = declareOperation({
  id: 'console_assignment_table_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A file or a pasted table of assignments' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  return isAnswer(page) ? page : renderForm(page)
})

/** Lists the last imports of assignments. */
async function listLastImports({ member, work }: ConsolePage): Promise<ImportJob[]> {
  const request = createPageRequest([
    ...createFilter('name', 'eq', 'batch'),
    ...createFilter('data.entityName', 'eq', entityName),
  ])
  return (await listImports(work, member, request)).data
}

async function renderForm(page: ConsolePage, refused?: { text: string; wrong: string }): Promise<Answer> {
  const imports = await listLastImports(page)
  const content = renderFileForm({
    ...page,
    imports,
    text: refused?.text ?? '',
    wrong: refused?.wrong,
    maxPastedLength,
  })
  const title = page.words.assignments.pasteTitle
  return renderFramed(page, { title, wide: false, ...(refused && { status: 400 }) }, content)
}

type UploadResult = ReceivedUpload
  & ({ answer: Answer } | { answer?: undefined; page: ConsolePage; kept: ReceivedDraft })
const nothingReceived: ReceivedUpload = { digest: Buffer.alloc(0), discard: async () => undefined }

/** Receives a file like one that is sent to the API, and keeps it for an hour while the member decides about it. */
const fileOperation = declareOperation({
  id: 'console_assignment_file_page_v1',
  method: 'POST',
  path: `${path}/file`,
  ...memberPageOptions,
  upload: {
    'multipart/form-data': object({ file: string('The file: CSV, Excel or JSON.', { contentEncoding: 'binary' }) }),
  },
  transport: { ...memberPageOptions.transport, maxBodyBytes: maxFileBytes, tooLargeCode: 'IMPORT_TOO_LARGE' },
  document: { tag: 'Pages', summary: 'Upload a file of assignments' },
}).withUploadHandler<UploadResult>(
  async (input) => {
    const page = openPage(input, path, 'loyalty:create')
    if (isAnswer(page)) return { ...nothingReceived, answer: page }
    try {
      const kept = await receiveDraft({ context: input.context, caller: page.member, upload: input.upload })
      return { digest: kept.digest, discard: kept.discard, page, kept }
    } catch (error) {
      return { ...nothingReceived, answer: await renderForm(page, { text: '', wrong: explain(error) }) }
    }
  },
  async ({ received, work }) => (received.answer ? received.answer : keepDraft(work, received.page, received.kept)),
)

/** @throws the error if it says nothing to people */
function explain(error: unknown): string {
  const wrong = toSentence(error)
  if (wrong === null) throw error
  return wrong
}

async function keepDraft({ trx }: Work, { member }: ConsolePage, { staged, fileName }: ReceivedDraft): Promise<Answer> {
  await createDraft(trx, member.organization, { staged, fileName, entityName })
  return answerRedirect(getDraftPath(staged.upload), undefined, 303)
}

const pasteOperation = declareOperation({
  id: 'console_assignment_table_write_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({ table: string('A person a line.', { maxLength: maxPastedLength }) }),
  transport: { ...memberPageOptions.transport, maxBodyBytes: 8 * maxPastedLength },
  document: { tag: 'Pages', summary: 'Paste a table of assignments' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  if (isAnswer(page)) return page
  const { table } = input.body
  if (table.trim() === '') return renderForm(page, { text: '', wrong: page.words.assignments.empty })
  try {
    return await receiveText(input.context, page, table, input.finish)
  } catch (error) {
    if (error instanceof ProblemError && error.status >= 500) throw error
    return renderForm(page, { text: table, wrong: explain(error) })
  }
})

async function receiveText(
  context: Context,
  page: ConsolePage,
  text: string,
  finish: <T>(change: (work: Work) => Promise<T>) => Promise<T>,
): Promise<Answer> {
  const kept = await receiveDraft({ context, caller: page.member, upload: openPastedText(addHeader(text)) })
  try {
    return await finish((work) => keepDraft(work, page, kept))
  } catch (cause) {
    await kept.discard()
    throw cause
  }
}

/** The pages that lead a table of assignments from its file to its report. */
export const assignmentImportPages: Operation[] = [formOperation, fileOperation, pasteOperation, ...importStepPages]
