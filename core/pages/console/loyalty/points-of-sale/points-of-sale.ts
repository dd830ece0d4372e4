import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { object, string } from '../../../../kernel/schema.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import {
  changePointOfSale,
  createPointOfSale,
  listPointsOfSale,
  readPointOfSale,
  removePointOfSale,
  type PointOfSale,
} from '../../../../features/loyalty/index.ts'
import { may, memberPageOptions } from '../../console.ts'
import { getRefusal, renderQuestion, type RefusedForm } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { createPageRequest, cursorField, formatAddress, isGiven, uuidField } from '../../frame/lists.ts'
import {
  emptyForm,
  getPointOfSaleAddress as getAddress,
  parsePointOfSaleForm,
  pointsOfSalePath as path,
  renderPointOfSaleForm,
  renderPointsOfSale,
  type PointOfSaleForm,
} from './points-of-sale.views.ts'
import { getProblemStatus } from '../../../site/layout.ts'

/** Where customers pay. */
const listOperation = declareOperation({
  id: 'console_points_of_sale_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { cursor: cursorField },
  document: { tag: 'Pages', summary: 'Points of sale of the organization' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { member, work, words } = page
  const { cursor } = input.query
  const request = createPageRequest([], { sorter: { field: 'createdAt', order: 'desc' }, cursor })
  const [{ data, total, nextCursor }, applications] = await Promise.all([
    listPointsOfSale(work, member, request),
    listApplicationChoices(work.trx, member.organization),
  ])
  const content = renderPointsOfSale(data, total, {
    words,
    applications,
    isFirst: !isGiven(cursor),
    next: nextCursor === null ? null : formatAddress(path, { cursor: nextCursor }),
    mayCreate: may(member, 'loyalty:create'),
    mayUpdate: may(member, 'loyalty:update'),
  })
  return renderFramed(page, { title: words.pointsOfSale.title }, content)
})

const formMembers = {
  name: string('Its name.', { maxLength: 400 }),
  externalId: string('Its identifier elsewhere.', { maxLength: 400 }),
  address: string('Postal address.', { maxLength: 1_000 }),
  timeZone: string('IANA time zone.', { maxLength: 200 }),
  status: string('Whether orders there earn points.', { maxLength: 20 }),
}

/** The form for a new point of sale. */
const newOperation = declareOperation({
  id: 'console_point_of_sale_new_page_v1',
  method: 'GET',
  path: `${path}/new`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'A new point of sale' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${path}/new`, 'loyalty:create')
  return isAnswer(page) ? page : renderNew(page, '')
})

async function renderNew(page: ConsolePage, chosen: string, refused?: RefusedForm<PointOfSaleForm>): Promise<Answer> {
  const title = page.words.pointsOfSale.newTitle
  const content = renderPointOfSaleForm(refused?.form ?? emptyForm, {
    words: page.words,
    title,
    action: path,
    applications: { all: await listApplicationChoices(page.work.trx, page.member.organization), chosen },
    problem: refused?.problem,
    deletion: null,
  })
  return renderFramed(page, { title, wide: false, ...getProblemStatus(refused?.problem) }, content)
}

const createOperation = declareOperation({
  id: 'console_point_of_sale_create_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({ application: uuidField('Its application.'), ...formMembers }),
  document: { tag: 'Pages', summary: 'Create a point of sale' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  if (isAnswer(page)) return page
  const { application = '', ...form } = input.body
  try {
    const { externalId, address, ...content } = parsePointOfSaleForm(form)
    return await input.finish(async (work) => {
      await createPointOfSale(work, page.member, {
        application,
        ...content,
        ...(externalId !== null && { externalId }),
        ...(address !== null && { address }),
      })
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, application, { form, problem: getRefusal(cause) })
  }
})

/** One point of sale, to be read and changed. */
const readOperation = declareOperation({
  id: 'console_point_of_sale_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'One point of sale' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:update')
  if (isAnswer(page)) return page
  return renderEdit(page, await readPointOfSale(page.work, page.member, input.params.id))
})

async function renderEdit(
  page: ConsolePage,
  { id, name, externalId = '', address = '', timeZone, status }: PointOfSale,
  refused?: RefusedForm<PointOfSaleForm>,
): Promise<Answer> {
  const content = renderPointOfSaleForm(refused?.form ?? { name, externalId, address, timeZone, status }, {
    words: page.words,
    title: name,
    action: getAddress(id),
    applications: null,
    problem: refused?.problem,
    deletion: may(page.member, 'loyalty:delete') ? `${getAddress(id)}/delete` : null,
  })
  return renderFramed(page, { title: name, wide: false, ...getProblemStatus(refused?.problem) }, content)
}

const updateOperation = declareOperation({
  id: 'console_point_of_sale_update_page_v1',
  method: 'POST',
  path: `${path}/:id`,
  ...memberPageOptions,
  body: object(formMembers),
  document: { tag: 'Pages', summary: 'Change a point of sale' },
}).withOutboundHandler(async (input) => {
  const { body: form, params } = input
  const page = openPage(input, getAddress(params.id), 'loyalty:update')
  if (isAnswer(page)) return page
  const present = await readPointOfSale(page.work, page.member, params.id)
  try {
    const patch = parsePointOfSaleForm(form)
    return await input.finish(async (work) => {
      await changePointOfSale(work, page.member, { id: params.id, patch, precondition: () => undefined })
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return renderEdit(page, present, { form, problem: getRefusal(cause) })
  }
})

/** The page that says what deleting a point of sale does. */
const questionOperation = declareOperation({
  id: 'console_point_of_sale_delete_question_v1',
  method: 'GET',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a point of sale is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:delete')
  if (isAnswer(page)) return page
  return renderDeletion(page, await readPointOfSale(page.work, page.member, input.params.id))
})

async function renderDeletion(page: ConsolePage, { id, name }: PointOfSale, problem?: ProblemError): Promise<Answer> {
  const { pointsOfSale: phrases } = page.words
  const title = phrases.deleteTitle(name)
  const content = renderQuestion(
    {
      title,
      consequences: [phrases.deleteText],
      button: phrases.deleteButton,
      action: `${getAddress(id)}/delete`,
      back: getAddress(id),
      problem,
    },
    page.words,
  )
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const deleteOperation = declareOperation({
  id: 'console_point_of_sale_delete_page_v1',
  method: 'POST',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete a point of sale' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'loyalty:delete')
  if (isAnswer(page)) return page
  const present = await readPointOfSale(page.work, page.member, id)
  try {
    return await input.finish(async (work) => {
      await removePointOfSale(work, page.member, { id, precondition: () => undefined })
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return renderDeletion(page, present, getRefusal(cause))
  }
})

export const pointOfSalePages: Operation[] = [
  listOperation,
  newOperation,
  createOperation,
  readOperation,
  updateOperation,
  questionOperation,
  deleteOperation,
]
