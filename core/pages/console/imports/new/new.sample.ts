import { readFileSync } from 'node:fs'
import { createDraft, openPastedText, receiveDraft } from '../../../../features/imports/index.ts'
import { answerBytes, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { memberPageOptions } from '../../console.ts'
import { openPage } from '../../frame/frame.ts'
import { newImportPath, samplePaths } from '../imports.views.ts'
import { importWords } from '../words.ts'
import { getStepAddress, redirectTo } from './new.draft.ts'

const types = {
  csv: 'text/csv; charset=utf-8; header=present',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

const readSampleFile = (format: keyof typeof types): Buffer =>
  readFileSync(new URL(`./sample/products.${format}`, import.meta.url))

const answerFile = (format: keyof typeof types): Answer =>
  answerBytes(readSampleFile(format), types[format], {
    'Content-Disposition': `attachment; filename="products.${format}"`,
  })

const csvOperation = declareOperation({
  id: 'console_import_sample_csv_v1',
  method: 'GET',
  path: samplePaths.csv,
  ...memberPageOptions,
  returns: { 200: { type: 'text/csv', description: 'A list of products.' } },
  document: { tag: 'Pages', summary: 'A list of products to try an import with, as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, newImportPath, 'dpp:create')
  return isAnswer(page) ? page : answerFile('csv')
})

const workbookOperation = declareOperation({
  id: 'console_import_sample_xlsx_v1',
  method: 'GET',
  path: samplePaths.xlsx,
  ...memberPageOptions,
  returns: { 200: { type: types.xlsx, description: 'A list of products.' } },
  document: { tag: 'Pages', summary: 'A list of products to try an import with, as an Excel workbook' },
}).withReadHandler(async (input) => {
  const page = openPage(input, newImportPath, 'dpp:create')
  return isAnswer(page) ? page : answerFile('xlsx')
})

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

export const samplePages: Operation[] = [csvOperation, workbookOperation, tryOperation]
