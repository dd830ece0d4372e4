import { readOrganizationDays } from '../../../../features/identity/index.ts'
import { planCampaign, type Campaign } from '../../../../features/loyalty/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../../kernel/schema.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { computeMark, createMarkCheck } from '../../frame/marks.ts'
import { campaignsPath, getCampaignAddress } from '../paths.ts'
import { campaignWords } from '../words/words.ts'
import { findMoments } from './local-times.ts'
import { listConsequences, readReach } from './reach.ts'
import { renderScheduling } from './schedule.views.ts'
import { findObstacle, markField, pickMessage, readCampaign } from './send.ts'

/** Which of two moments with the same time on the clock. */
const choices = ['first', 'second'] as const

/** What the form of a schedule says. */
export interface ScheduleForm {
  at: string
  which: (typeof choices)[number] | undefined
}

const readTimeZone = async ({ work, member }: ConsolePage): Promise<string> =>
  (await readOrganizationDays(work.context.directDatabase, member.organization)).timeZone

async function renderPage(
  page: ConsolePage,
  campaign: Campaign,
  form: ScheduleForm,
  refused?: ProblemError,
): Promise<Answer> {
  const timeZone = await readTimeZone(page)
  const problem = refused ?? (await findObstacle(page, campaign.id))
  const moments = findMoments(form.at, timeZone) ?? []
  const title = campaignWords[page.language].scheduleTitle(campaign.name)
  const content = renderScheduling(page, {
    title,
    campaign,
    consequences: listConsequences(page, campaign, await readReach(page, campaign), true),
    mark: computeMark(pickMessage(campaign)),
    form,
    timeZone,
    twice: moments.length > 1 ? moments : [],
    problem,
  })
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const createTimeProblem = (code: string, message: string) => createValidationProblem([{ path: 'at', code, message }])

/** Returns the moment that a form means. @throws VALIDATION_FAILED if it is none, two, or over */
function chooseMoment({ at, which }: ScheduleForm, timeZone: string, now: Date): Date {
  const moments = findMoments(at, timeZone)
  if (moments === null) throw createTimeProblem(at === '' ? 'required' : 'format', 'must be a day and a time')
  const [first, second] = moments
  if (!first) throw createTimeProblem('gap', 'does not exist on that day')
  if (second && which === undefined) throw createTimeProblem('ambiguous', 'is there twice on that day')
  const chosen = second && which === 'second' ? second : first
  // The API sends such a campaign at once; a form for later is not where anybody expects that.
  if (chosen.at <= now) throw createTimeProblem('past', 'is over already')
  return chosen.at
}

const questionOperation = declareOperation({
  id: 'console_campaign_schedule_question_v1',
  method: 'GET',
  path: `${campaignsPath}/:id/schedule`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a campaign is scheduled' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id, '/schedule'), 'loyalty:update')
  if (isAnswer(page)) return page
  return renderPage(page, await readCampaign(page, id), { at: '', which: undefined })
})

const scheduleOperation = declareOperation({
  id: 'console_campaign_schedule_page_v1',
  method: 'POST',
  path: `${campaignsPath}/:id/schedule`,
  ...memberPageOptions,
  body: object({
    mark: markField,
    at: string('Day and time in the zone of the organization.', { maxLength: 40 }),
    which: optional(oneOf(choices, 'Which of the two, in the hour that comes twice.')),
  }),
  document: { tag: 'Pages', summary: 'Schedule a campaign' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id, '/schedule'), 'loyalty:update')
  if (isAnswer(page)) return page
  const { mark, at, which } = input.body
  const form: ScheduleForm = { at, which }
  const campaign = await readCampaign(page, id)
  try {
    const sendAt = chooseMoment(form, await readTimeZone(page), page.work.context.clock.now()).toISOString()
    return await input.finish(async (work) => {
      await planCampaign(work, page.member, { id, sendAt, precondition: createMarkCheck(mark, pickMessage) })
      return answerRedirect(getCampaignAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderPage(page, campaign, form, getRefusal(cause))
  }
})

export const schedulePages: Operation[] = [questionOperation, scheduleOperation]
