import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createNotFoundProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { object, string } from '../../../../kernel/schema.ts'
import { listApplicationChoices } from '../../../../features/applications/index.ts'
import {
  createTier,
  deleteTier,
  readShownTier,
  readTierOverview,
  updateTier,
  type NewRewardTier,
  type RewardTier,
  type TierOverview,
} from '../../../../features/loyalty/index.ts'
import { may, memberPageOptions } from '../../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { getRefusal, renderQuestion, type RefusedForm } from '../../frame/forms.views.ts'
import { answerCsv, isGiven, uuidField, type CsvColumns, type QueryText } from '../../frame/lists.ts'
import { emptyForm, parseTierForm, renderTierForm, renderTiers, type TierForm } from './tiers.views.ts'
import { getProblemStatus } from '../../../site/layout.ts'

const path = '/console/tiers'
const getAddress = (id: string) => `${path}/${id}`

const applicationField = uuidField('The application; the first one, if it is left out.')

/** The application that a page is about, among those of the organization. @throws NOT_FOUND for another one */
async function chooseApplication({ member, work }: ConsolePage, wanted: QueryText) {
  const applications = await listApplicationChoices(work.trx, member.organization)
  const chosen = isGiven(wanted) ? applications.find(({ id }) => id === wanted.toLowerCase()) : applications[0]
  if (isGiven(wanted) && !chosen) throw createNotFoundProblem()
  return { applications, chosen: chosen ?? null }
}

/** The tiers of an application, and how many accounts each has. */
const listOperation = declareOperation({
  id: 'console_tiers_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { application: applicationField },
  document: { tag: 'Pages', summary: 'Tiers of an application' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { applications, chosen } = await chooseApplication(page, input.query.application)
  const overview = chosen && (await readTierOverview(page.work, chosen.id))
  const content = renderTiers(overview, {
    ...page,
    applications,
    chosen,
    mayCreate: may(page.member, 'loyalty:create'),
    mayUpdate: may(page.member, 'loyalty:update'),
  })
  return renderFramed(page, { title: page.words.tiers.title }, content)
})

const columns: CsvColumns<TierOverview['tiers'][number]> = [
  ['id', ({ tier }) => tier.id],
  ['application', ({ tier }) => tier.application],
  ['name', ({ tier }) => tier.name],
  ['required_visits', ({ tier }) => tier.requiredVisits],
  ['currency_to_point_ratio', ({ tier }) => tier.currencyToPointRatio],
  ['bg_image_url', ({ tier }) => tier.bgImageUrl ?? null],
  ['accounts', ({ accounts }) => accounts],
  ['created_at', ({ tier }) => tier.createdAt],
]

const fileOperation = declareOperation({
  id: 'console_tiers_file_v1',
  method: 'GET',
  path: `${path}.csv`,
  ...memberPageOptions,
  query: { application: applicationField },
  returns: { 200: { type: 'text/csv', description: 'The tiers.' } },
  document: { tag: 'Pages', summary: 'Tiers as CSV' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:read')
  if (isAnswer(page)) return page
  const { chosen } = await chooseApplication(page, input.query.application)
  return answerCsv('tiers', columns, [chosen ? (await readTierOverview(page.work, chosen.id)).tiers : []])
})

const formMembers = {
  name: string('Name for people.', { maxLength: 400 }),
  requiredVisits: string('Visits that are needed.', { maxLength: 20 }),
  currencyToPointRatio: string('Points of a unit of currency.', { maxLength: 40 }),
  bgImageUrl: string('Picture behind its name.', { maxLength: 2048 }),
}

/** The form for a new tier. */
const newOperation = declareOperation({
  id: 'console_tier_new_page_v1',
  method: 'GET',
  path: `${path}/new`,
  ...memberPageOptions,
  query: { application: applicationField },
  document: { tag: 'Pages', summary: 'A new tier' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  if (isAnswer(page)) return page
  return renderNew(page, input.query.application)
})

async function renderNew(page: ConsolePage, wanted: QueryText, refused?: RefusedForm<TierForm>): Promise<Answer> {
  const { applications, chosen } = await chooseApplication(page, wanted)
  const content = renderTierForm(refused?.form ?? emptyForm, {
    ...page,
    title: page.words.tiers.newTitle,
    action: path,
    applications: { all: applications, chosen: chosen?.id ?? '' },
    problem: refused?.problem,
    deletion: null,
  })
  return renderFramed(
    page,
    { title: page.words.tiers.newTitle, wide: false, ...getProblemStatus(refused?.problem) },
    content,
  )
}

const createOperation = declareOperation({
  id: 'console_tier_create_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({ application: uuidField('Its application.'), ...formMembers }),
  document: { tag: 'Pages', summary: 'Create a tier' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'loyalty:create')
  if (isAnswer(page)) return page
  const { application = '', ...form } = input.body
  try {
    const content: NewRewardTier = { application, ...parseTierForm(form) }
    return await input.finish(async (work) => {
      await createTier(work, page.member, content)
      return answerRedirect(`${path}?application=${application}`, undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, application, { form, problem: getRefusal(cause) })
  }
})

/** One tier, to be read and changed. */
const readOperation = declareOperation({
  id: 'console_tier_page_v1',
  method: 'GET',
  path: `${path}/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'One tier' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:update')
  if (isAnswer(page)) return page
  return renderEdit(page, await readShownTier(page.work, page.member, input.params.id))
})

async function renderEdit(page: ConsolePage, tier: RewardTier, refused?: RefusedForm<TierForm>): Promise<Answer> {
  const title = page.words.tiers.editTitle(tier.name)
  const form: TierForm = {
    name: tier.name,
    requiredVisits: String(tier.requiredVisits),
    currencyToPointRatio: String(tier.currencyToPointRatio),
    bgImageUrl: tier.bgImageUrl ?? '',
  }
  const content = renderTierForm(refused?.form ?? form, {
    ...page,
    title,
    action: getAddress(tier.id),
    applications: null,
    back: `${path}?application=${tier.application}`,
    problem: refused?.problem,
    deletion: may(page.member, 'loyalty:delete') ? `${getAddress(tier.id)}/delete` : null,
  })
  return renderFramed(page, { title, wide: false, ...getProblemStatus(refused?.problem) }, content)
}

const updateOperation = declareOperation({
  id: 'console_tier_update_page_v1',
  method: 'POST',
  path: `${path}/:id`,
  ...memberPageOptions,
  body: object(formMembers),
  document: { tag: 'Pages', summary: 'Change a tier' },
}).withOutboundHandler(async (input) => {
  const { body: form, params } = input
  const page = openPage(input, getAddress(params.id), 'loyalty:update')
  if (isAnswer(page)) return page
  const tier = await readShownTier(page.work, page.member, params.id)
  try {
    const patch = { bgImageUrl: null, ...parseTierForm(form) }
    return await input.finish(async (work) => {
      await updateTier(work, page.member, params.id, { patch, precondition: () => undefined })
      return answerRedirect(`${path}?application=${tier.application}`, undefined, 303)
    })
  } catch (cause) {
    return renderEdit(page, tier, { form, problem: getRefusal(cause) })
  }
})

/** The page that says what deleting a tier does. */
const askOperation = declareOperation({
  id: 'console_tier_delete_question_v1',
  method: 'GET',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a tier is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getAddress(input.params.id), 'loyalty:delete')
  if (isAnswer(page)) return page
  return renderDeletion(page, await readShownTier(page.work, page.member, input.params.id))
})

async function renderDeletion(page: ConsolePage, tier: RewardTier, problem?: ProblemError): Promise<Answer> {
  const { tiers: phrases } = page.words
  const { tiers } = await readTierOverview(page.work, tier.application)
  const title = phrases.deleteTitle(tier.name)
  const content = renderQuestion(
    {
      title,
      consequences: [
        phrases.deletePeople(tiers.find((one) => one.tier.id === tier.id)?.accounts ?? 0),
        phrases.deleteOrders,
        phrases.deleteFixed,
      ],
      button: phrases.deleteButton,
      action: `${getAddress(tier.id)}/delete`,
      back: getAddress(tier.id),
      problem,
    },
    page.words,
  )
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const deleteOperation = declareOperation({
  id: 'console_tier_delete_page_v1',
  method: 'POST',
  path: `${path}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete a tier' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getAddress(id), 'loyalty:delete')
  if (isAnswer(page)) return page
  const tier = await readShownTier(page.work, page.member, id)
  try {
    return await input.finish(async (work) => {
      await deleteTier(work, page.member, id, () => undefined)
      return answerRedirect(`${path}?application=${tier.application}`, undefined, 303)
    })
  } catch (cause) {
    return renderDeletion(page, tier, getRefusal(cause))
  }
})

export const tierPages: Operation[] = [
  listOperation,
  fileOperation,
  newOperation,
  createOperation,
  readOperation,
  updateOperation,
  askOperation,
  deleteOperation,
]
