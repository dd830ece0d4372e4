import {
  createPassport,
  getUntpFields,
  listSheetChoices,
  type NewPassport,
  type Passport,
  PassportPatch,
  readPassportState,
  readSheet,
  updatePassport,
  validateImportedBody,
} from '../../../../features/dpp/index.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { createJsonValidator } from '../../../../kernel/json/schema-validators.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import {
  createNotFoundProblem,
  createValidationProblem,
  type Issue,
  type ProblemError,
} from '../../../../kernel/problem.ts'
import { Type } from '../../../../kernel/schema.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { isGiven, textField, uuidField } from '../../frame/lists.ts'
import { formatTitle, getPassportAddress, passportsPath, readTitles } from '../list/titles.ts'
import { passportWords } from '../words/words.ts'
import { readContent, writeContent } from './content.ts'
import { addItem, removeItem, type FormTexts } from './controls.ts'
import { focusPath } from './focus.ts'
import { renderFormChoice, renderPassportForm, type FormShape, type FormView } from './form.views.ts'
import { computeContentMark, createContentCheck, createPassportPatch, pickContent } from './patch.ts'
import { getProblemStatus } from '../../../site/layout.ts'

/** The most bytes of a form; content of 256 KiB takes up to three times as many. */
const maxBodyBytes = 3 * 2 ** 20
const formBody = Type.Record(Type.String(), Type.String({ maxLength: 400_000 }), { maxProperties: 10_000 })

/** Where a new passport begins: a sheet, or the application of one that describes its product itself. */
type Beginning = { shape: FormShape } & ({ sheet: string } | { application: string })

/** Finds where a new passport begins; null if nothing is chosen. @throws NOT_FOUND for what is not the organization's */
async function findBeginning(
  { work, member }: ConsolePage,
  { sheet = '', application = '' }: { sheet?: string; application?: string },
): Promise<Beginning | null> {
  if (sheet !== '') {
    const { id, passportsFields } = await readSheet(work, sheet)
    return { sheet: id, shape: { root: 'fields', definitions: passportsFields } }
  }
  if (application === '') return null
  const applications = await listApplicationChoices(work.trx, member.organization)
  const chosen = applications.find(({ id }) => id === application.toLowerCase())
  if (!chosen) throw createNotFoundProblem()
  return { application: chosen.id, shape: { root: 'product', definitions: getUntpFields() } }
}

/** The form for a new passport, behind the choice of what it is made from. */
const newOperation = declareOperation({
  id: 'console_passport_new_page_v1',
  method: 'GET',
  path: `${passportsPath}/new`,
  ...memberPageOptions,
  query: { sheet: uuidField('The sheet.'), application: uuidField('The application of a passport without a sheet.') },
  document: { tag: 'Pages', summary: 'A new passport' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${passportsPath}/new`, 'dpp:create')
  if (isAnswer(page)) return page
  const beginning = await findBeginning(page, input.query)
  return beginning ? renderNew(page, beginning, { texts: {} }) : renderChoice(page)
})

async function renderChoice(page: ConsolePage): Promise<Answer> {
  const { work, member, language } = page
  const [sheets, applications] = await Promise.all([
    listSheetChoices(work.trx, member.organization),
    listApplicationChoices(work.trx, member.organization),
  ])
  const usable = sheets.filter(({ status }) => status !== 'ARCHIVED')
  const title = passportWords[language].newTitle
  return renderFramed(page, { title, wide: false }, renderFormChoice(page, { sheets: usable, applications }))
}

/** A form as it is shown: with what was written, and why it was refused. */
interface ShownForm extends Pick<FormView, 'texts'> {
  focus?: string | null
  stored?: FormTexts | null
  problem?: ProblemError
}

function renderForm(page: ConsolePage, view: Omit<FormView, 'controls' | 'problem'>, problem?: ProblemError) {
  const { controls } = readContent(view.texts, view.shape)
  const options = { title: view.title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderPassportForm(page, { ...view, controls, problem }))
}

function renderNew(page: ConsolePage, beginning: Beginning, shown: ShownForm): Promise<Answer> {
  const { shape, ...hidden } = beginning
  const view = {
    title: passportWords[page.language].newTitle,
    action: passportsPath,
    back: passportsPath,
    shape,
    texts: shown.texts,
    stored: null,
    focus: shown.focus ?? null,
    hidden: hidden as Record<string, string>,
    hasNetwork: shape.root === 'product',
  }
  return renderForm(page, view, shown.problem)
}

/** Carries out the button of a form that adds or removes an element; null for the one that saves. */
function changeLists({ add, remove, ...texts }: FormTexts): ShownForm | null {
  if (isGiven(add)) {
    const changed = addItem(texts, add)
    const isList = !add.endsWith('~o')
    return { texts: changed, focus: isList ? `${add}[${Number(changed[`${add}~n`]) - 1}]` : add.slice(0, -2) }
  }
  if (isGiven(remove)) return { texts: removeItem(texts, remove), focus: remove.replace(/\[\d+\]$|~o$/, '') }
  return null
}

const createOperation = declareOperation({
  id: 'console_passport_create_page_v1',
  method: 'POST',
  path: passportsPath,
  ...memberPageOptions,
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  body: formBody,
  document: { tag: 'Pages', summary: 'Create a passport' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, `${passportsPath}/new`, 'dpp:create')
  if (isAnswer(page)) return page
  const { sheet = '', application = '', ...texts } = input.body as FormTexts
  const beginning = await findBeginning(page, { sheet, application })
  if (!beginning) return renderChoice(page)
  const changed = changeLists(texts)
  if (changed) return renderNew(page, beginning, changed)
  try {
    const body = createBody(texts, beginning)
    return await input.finish(async (work) => {
      const { id } = await createPassport(work, page.member, body)
      return answerRedirect(getPassportAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, beginning, { texts, problem: getRefusal(cause) })
  }
})

/** Creates the body of a new passport from a form. @throws VALIDATION_FAILED, as the operation of the API */
function createBody(texts: FormTexts, beginning: Beginning): NewPassport {
  const { content, issues } = readContent(texts, beginning.shape)
  const { network = '' } = texts
  const body = {
    ...content,
    ...('sheet' in beginning ? { product: beginning.sheet } : { application: beginning.application }),
    ...(network !== '' && { network }),
  }
  const found = [...issues, ...validateImportedBody(body)]
  if (found.length > 0) throw createValidationProblem(found)
  return body as NewPassport
}

const readShape = async ({ work }: ConsolePage, { product }: Passport): Promise<FormShape> =>
  typeof product === 'string'
    ? { root: 'fields', definitions: (await readSheet(work, product)).passportsFields }
    : { root: 'product', definitions: getUntpFields() }

/** The form of a present passport. `field` opens and focuses the control of a path, as the readiness names it. */
const editOperation = declareOperation({
  id: 'console_passport_edit_page_v1',
  method: 'GET',
  path: `${passportsPath}/:id/edit`,
  ...memberPageOptions,
  query: { field: textField('Path of the value to begin with.', { maxLength: 500 }) },
  document: { tag: 'Pages', summary: 'Edit a passport' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, `${getPassportAddress(id)}/edit`, 'dpp:update')
  if (isAnswer(page)) return page
  const { passport } = await readPassportState(page.work, page.member, id)
  const shape = await readShape(page, passport)
  const texts = writeContent(pickContent(passport), shape)
  const { field } = input.query
  const focused = isGiven(field) ? focusPath(texts, field, shape.root, shape.definitions) : null
  const shown = focused ? { texts: focused.texts, focus: focused.control } : { texts }
  return renderEdit(page, passport, shape, { ...shown, mark: computeContentMark(passport) })
})

async function renderEdit(
  page: ConsolePage,
  passport: Passport,
  shape: FormShape,
  shown: ShownForm & { mark: string },
): Promise<Answer> {
  const [title = { name: passport.id, mark: null }] = await readTitles(page.work.trx, [passport])
  const view = {
    title: passportWords[page.language].editTitle(formatTitle(title)),
    action: `${getPassportAddress(passport.id)}/edit`,
    back: getPassportAddress(passport.id),
    shape,
    texts: shown.texts,
    stored: shown.stored ?? null,
    focus: shown.focus ?? null,
    hidden: { mark: shown.mark },
    hasNetwork: false,
  }
  return renderForm(page, view, shown.problem)
}

const updateOperation = declareOperation({
  id: 'console_passport_update_page_v1',
  method: 'POST',
  path: `${passportsPath}/:id/edit`,
  ...memberPageOptions,
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  body: formBody,
  document: { tag: 'Pages', summary: 'Change a passport' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, `${getPassportAddress(id)}/edit`, 'dpp:update')
  if (isAnswer(page)) return page
  const { mark = '', ...texts } = input.body as FormTexts
  const { passport } = await readPassportState(page.work, page.member, id)
  const shape = await readShape(page, passport)
  const changed = changeLists(texts)
  if (changed) return renderEdit(page, passport, shape, { ...changed, mark })
  try {
    const patch = createPatch(texts, passport, shape)
    return await input.finish(async (work) => {
      await updatePassport(work, page.member, id, patch, createContentCheck(mark))
      return answerRedirect(getPassportAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderRefused(page, { id, shape, texts, mark }, getRefusal(cause))
  }
})

/** Shows a refused form with what was written; beside what is stored now, if somebody has changed it meanwhile. */
async function renderRefused(
  page: ConsolePage,
  { id, shape, texts, mark }: { id: string; shape: FormShape; texts: FormTexts; mark: string },
  problem: ProblemError,
): Promise<Answer> {
  const { passport } = await readPassportState(page.work, page.member, id)
  if (problem.code !== 'PRECONDITION_FAILED') return renderEdit(page, passport, shape, { texts, mark, problem })
  const stored = writeContent(pickContent(passport), shape)
  return renderEdit(page, passport, shape, { texts, stored, mark: computeContentMark(passport), problem })
}

const validatePatch = createJsonValidator(() => PassportPatch, { maxItems: 'max_items', uniqueItems: 'unique' })

/** Creates the patch of a passport from a form. @throws VALIDATION_FAILED, as the operation of the API */
function createPatch(texts: FormTexts, passport: Passport, shape: FormShape): PassportPatch {
  const { content, issues } = readContent(texts, shape)
  const patch = createPassportPatch(pickContent(passport), content)
  const found: Issue[] = validatePatch(patch, '', () => JSON.stringify(patch).length).map((issue) => ({
    ...issue,
    path: issue.path.replace(/^\./, ''),
  }))
  if (issues.length + found.length > 0) throw createValidationProblem([...issues, ...found])
  return patch
}

/** The pages by which a passport is created and changed. */
export const passportFormPages: Operation[] = [newOperation, createOperation, editOperation, updateOperation]
