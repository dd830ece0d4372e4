import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../kernel/problem.ts'
import { oneOf, optional, Type } from '../../../kernel/schema.ts'
import { networkNames } from '../../../features/accounts/index.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import { createSheet, readOwnSheet, updateSheet } from '../../../features/dpp/index.ts'
import { html } from '../../site/html.ts'
import { renderApplicationNeeded } from '../applications/applications.views.ts'
import { memberPageOptions } from '../console.ts'
import { getRefusal } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { changeRows, emptyRow, parseSheetForm, readForm, toForm, type SheetForm } from './editor.form.ts'
import { renderEditor } from './editor.views.ts'
import { getSheetAddress as getAddress, sheetsPath as path } from './sheets.views.ts'
import { sheetWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** The fields of the form, named as `readForm` reads them. */
const formBody = Type.Record(Type.String({ maxLength: 40 }), Type.String({ maxLength: 400_000 }), {
  maxProperties: 400,
})
const asField = { as: optional(oneOf(['text'], 'Whether the fields are edited as text.')) }

const emptyForm: SheetForm = {
  name: '',
  application: '',
  network: '',
  rows: { p: [{ ...emptyRow, name: 'serialNumber', isRequired: true }], s: [] },
  paths: '',
  texts: null,
}
const emptyTextForm: SheetForm = { ...emptyForm, rows: { p: [], s: [] }, texts: { p: '[]', s: '[]' } }

interface ShownForm {
  form: SheetForm
  problem?: ProblemError
  isChanged?: boolean
}

/** The form for a new sheet. */
const newOperation = declareOperation({
  id: 'console_sheet_new_page_v1',
  method: 'GET',
  path: `${path}/new`,
  ...memberPageOptions,
  query: asField,
  document: { tag: 'Pages', summary: 'A new sheet' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${path}/new`, 'dpp:create')
  if (isAnswer(page)) return page
  return renderNew(page, { form: input.query.as === 'text' ? emptyTextForm : emptyForm })
})

async function renderNew(page: ConsolePage, { form, problem, isChanged = false }: ShownForm): Promise<Answer> {
  const phrases = sheetWords[page.language]
  const applications = await listApplicationChoices(page.work.trx, page.member.organization)
  if (applications.length === 0)
    return renderFramed(
      page,
      { title: phrases.newTitle },
      html`<h1>${phrases.newTitle}</h1>
${renderApplicationNeeded(page)}`,
    )
  const content = renderEditor(page, form, {
    title: phrases.newTitle,
    action: `${path}/new`,
    back: path,
    backText: phrases.all,
    applications,
    problem,
    isChanged,
  })
  return renderFramed(page, { title: phrases.newTitle, ...getProblemStatus(problem) }, content)
}

const findNetwork = ({ network }: SheetForm) => networkNames.find((name) => name === network)

/** Adds, removes and moves rows without saving them, or creates the sheet. */
const createOperation = declareOperation({
  id: 'console_sheet_create_page_v1',
  method: 'POST',
  path: `${path}/new`,
  ...memberPageOptions,
  body: formBody,
  document: { tag: 'Pages', summary: 'Create a sheet' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, `${path}/new`, 'dpp:create')
  if (isAnswer(page)) return page
  const form = readForm(input.body)
  const changed = changeRows(form, input.body['act'] ?? '')
  if (changed) return renderNew(page, { form: changed, isChanged: true })
  try {
    const content = parseSheetForm(form)
    const application = await findApplicationChoice(page, form)
    const network = findNetwork(form)
    return await input.finish(async (work) => {
      const { id } = await createSheet(work, page.member, { ...content, application, ...(network && { network }) })
      return answerRedirect(getAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, { form, problem: getRefusal(cause) })
  }
})

/** Returns the chosen application of the organization. @throws VALIDATION_FAILED for another one */
async function findApplicationChoice({ member, work }: ConsolePage, { application }: SheetForm): Promise<string> {
  const choices = await listApplicationChoices(work.trx, member.organization)
  const chosen = choices.find(({ id }) => id === application)
  if (chosen) return chosen.id
  throw createValidationProblem([{ path: 'application', code: 'unknown', message: 'is not known' }])
}

/** The form of a sheet. */
const editOperation = declareOperation({
  id: 'console_sheet_edit_page_v1',
  method: 'GET',
  path: `${path}/:id/edit`,
  ...memberPageOptions,
  query: asField,
  document: { tag: 'Pages', summary: 'Name and fields of a sheet' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id, '/edit'), 'dpp:update')
  if (isAnswer(page)) return page
  const sheet = await readOwnSheet(page.work, input.params.id)
  return renderEdit(page, sheet, { form: toForm(sheet, input.query.as === 'text') })
})

function renderEdit(
  page: ConsolePage,
  { id, name }: { id: string; name: string },
  { form, problem, isChanged = false }: ShownForm,
): Promise<Answer> {
  const phrases = sheetWords[page.language]
  const title = phrases.editTitle(name)
  const view = {
    title,
    action: getAddress(id, '/edit'),
    back: getAddress(id),
    backText: phrases.back,
    applications: null,
    problem,
    isChanged,
  }
  return renderFramed(page, { title, ...getProblemStatus(problem) }, renderEditor(page, form, view))
}

const updateOperation = declareOperation({
  id: 'console_sheet_update_page_v1',
  method: 'POST',
  path: `${path}/:id/edit`,
  ...memberPageOptions,
  body: formBody,
  document: { tag: 'Pages', summary: 'Change the name and the fields of a sheet' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id, '/edit'), 'dpp:update')
  if (isAnswer(page)) return page
  const sheet = await readOwnSheet(page.work, id)
  const form = readForm(input.body)
  const act = input.body['act'] ?? ''
  const changed = changeRows(form, act)
  if (changed) return renderEdit(page, sheet, { form: changed, isChanged: true })
  try {
    const content = parseSheetForm(form, sheet.certifiedPaths)
    const network = findNetwork(form)
    const patch = { ...content, ...(network && { network }), ...(act === 'migrate' && { migrate: true }) }
    return await input.finish(async (work) => {
      // A form has no version: who saves last has the last word.
      const made = await updateSheet(work, id, patch, { precondition: () => undefined, dryRun: false })
      return answerRedirect(getAddress(id, 'job' in made ? `/jobs/${made.job}` : ''), undefined, 303)
    })
  } catch (cause) {
    return renderEdit(page, sheet, { form, problem: getRefusal(cause) })
  }
})

export const sheetEditorPages: Operation[] = [newOperation, createOperation, editOperation, updateOperation]
