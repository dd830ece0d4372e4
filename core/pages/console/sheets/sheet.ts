import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { oneOf } from '../../../kernel/schema.ts'
import { listApplicationChoices } from '../../../features/applications/index.ts'
import {
  deleteSheet,
  findPublishedPassport,
  previewSheetDeletion,
  readOwnSheet,
  readOwnSheetStats,
  sheetStatuses,
  updateSheet,
  type SheetStatus,
} from '../../../features/dpp/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { renderSheet } from './sheet.views.ts'
import { getSheetAddress as getAddress, sheetsPath as path } from './sheets.views.ts'
import { addSheetRefusals, sheetWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** One sheet. */
const readOperation = declareOperation({
  id: 'console_sheet_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'One sheet' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:read')
  if (isAnswer(page)) return page
  const { member, work } = page
  const sheet = await readOwnSheet(work, id)
  const [stats, applications, passport] = await Promise.all([
    readOwnSheetStats(work, id),
    listApplicationChoices(work.trx, member.organization),
    findPublishedPassport(work.trx, { organization: member.organization, sheet: id }),
  ])
  const content = renderSheet(page, sheet, {
    stats,
    application: applications.find((one) => one.id === sheet.application)?.name ?? '',
    passport,
    mayCreate: may(member, 'dpp:create'),
    mayUpdate: may(member, 'dpp:update'),
    mayDelete: may(member, 'dpp:delete'),
  })
  return renderFramed(page, { title: sheet.name }, content)
})

const status = oneOf(sheetStatuses, 'The state to move to.')

/** The page that says what a move to another state means. */
const askOperation = declareOperation({
  id: 'console_sheet_status_question_v1',
  method: 'GET',
  path: `${path}/:id/status`,
  ...memberPageOptions,
  query: { to: status },
  document: { tag: 'Pages', summary: 'Before the state of a sheet changes' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'dpp:update')
  return isAnswer(page) ? page : askMove(page, input.params.id, input.query.to)
})

async function askMove(page: ConsolePage, id: string, to: SheetStatus, problem?: ProblemError): Promise<Answer> {
  const phrases = sheetWords[page.language]
  const [{ name, status: from }, { passports }] = [
    await readOwnSheet(page.work, id),
    await readOwnSheetStats(page.work, id),
  ]
  const title = phrases.moveTitles[to](name)
  const question = {
    title,
    consequences: [
      phrases.stateUses[to],
      phrases.movePassports(passports.total),
      from === 'DRAFT' && to !== 'ARCHIVED' && phrases.moveFinal,
      phrases.moveBack,
    ],
    button: phrases.moves[to],
    action: `${getAddress(id, '/status')}?to=${to}`,
    back: getAddress(id),
    isHarmless: to === 'ACTIVE',
    problem,
  }
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderQuestion(question, addSheetRefusals(page)))
}

const moveOperation = declareOperation({
  id: 'console_sheet_status_page_v1',
  method: 'POST',
  path: `${path}/:id/status`,
  ...memberPageOptions,
  query: { to: status },
  document: { tag: 'Pages', summary: 'Change the state of a sheet' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:update')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await updateSheet(work, id, { status: input.query.to }, { precondition: () => undefined, dryRun: false })
      return answerRedirect(getAddress(id), undefined, 303)
    })
  } catch (cause) {
    return askMove(page, id, input.query.to, getRefusal(cause))
  }
})

/** The page that says what deleting a sheet does. */
const questionOperation = declareOperation({
  id: 'console_sheet_delete_question_v1',
  method: 'GET',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a sheet is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'dpp:delete')
  if (isAnswer(page)) return page
  const { id } = input.params
  try {
    await previewSheetDeletion(page.work, id, () => undefined)
    return await askDeletion(page, id)
  } catch (cause) {
    return askDeletion(page, id, getRefusal(cause))
  }
})

async function askDeletion(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const phrases = sheetWords[page.language]
  const { name, version } = await readOwnSheet(page.work, id)
  const title = phrases.deleteTitle(name)
  const question = {
    title,
    consequences: problem
      ? [phrases.deleteKept]
      : [phrases.deleteText, version > 1 && phrases.deleteVersions(version - 1)],
    button: phrases.delete,
    action: getAddress(id, '/delete'),
    back: getAddress(id),
    problem,
  }
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderQuestion(question, addSheetRefusals(page)))
}

const deleteOperation = declareOperation({
  id: 'console_sheet_delete_page_v1',
  method: 'POST',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete a sheet' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'dpp:delete')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await deleteSheet(work, id, () => undefined)
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return askDeletion(page, id, getRefusal(cause))
  }
})

export const sheetPages: Operation[] = [readOperation, askOperation, moveOperation, questionOperation, deleteOperation]
