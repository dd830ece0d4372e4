import { readFileSync } from 'node:fs'
import { createDraft, openPastedText, receiveDraft } from '../../../../features/imports/index.ts'
import { answerBytes, isAnswer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage } from '../../frame/frame.ts'
import { importsPath, newImportPath } from '../imports.views.ts'
import { importWords } from '../words.ts'
import { getStepAddress, redirectTo } from './new.draft.ts'

/** Where the list of products to try an import with can be downloaded, and used at once. */
export const samplePaths = {
  csv: `${importsPath}/sample.csv`,
  xlsx: `${importsPath}/sample.xlsx`,
  use: `${importsPath}/sample`,
} as const

const files = {
  csv: { name: 'products.csv', type: 'text/csv; charset=utf-8; header=present' },
  xlsx: { name: 'products.xlsx', type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
} as const

const readSampleFile = (format: keyof typeof files): Buffer =>
  readFileSync(new URL(`./sample/${files[format].name}`, import.meta.url))

const createDownload = (format: keyof typeof files): Operation => {
  const { name, type } = files[format]
  const bytes = readSampleFile(format)
  return declareOperation({
    id: `console_import_sample_${format}_v1`,
    method: 'GET',
    path: samplePaths[format],
    ...memberPageOptions,
    returns: { 200: { type: type.split(';')[0] ?? type, description: 'A list of products.' } },
    document: { tag: 'Pages', summary: `A list of products to try an import with, as ${format.toUpperCase()}` },
  }).withReadHandler(async (input) => {
    const page = openPage(input, newImportPath, 'dpp:create')
    return isAnswer(page) ? page : answerBytes(bytes, type, { 'Content-Disposition': `attachment; filename="${name}"` })
  })
}

/** Takes the list of products as if it had been uploaded. */
const tryOperation = declareOperation({
  id: 'console_import_sample_page_v1',
  method: 'POST',
  path: samplePaths.use,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Try an import with a list of products' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, newImportPath, 'dpp:create')
  if (isAnswer(page)) return page
  const { context } = page.work
  const upload = openPastedText(readSampleFile('csv').toString('utf8'))
  const { staged } = await receiveDraft({ context, caller: page.member, upload })
  const fileName = importWords[page.language].sampleName
  await createDraft(context.db, page.member.organization, { staged, fileName })
  return redirectTo(getStepAddress(staged.upload))
})

export const samplePages: Operation[] = [createDownload('csv'), createDownload('xlsx'), tryOperation]
