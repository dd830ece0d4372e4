import {
  previewSending,
  presentDetails,
  readOwnCampaign,
  sendCampaign,
  type Campaign,
} from '../../../../features/loyalty/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { object, string } from '../../../../kernel/schema.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal, renderQuestion } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { computeMark, createMarkCheck } from '../../frame/marks.ts'
import { campaignsPath, getCampaignAddress } from '../paths.ts'
import { addCampaignRefusals, campaignWords } from '../words/words.ts'
import { listConsequences, readReach } from './reach.ts'

/** Picks what a question about sending shows of a campaign. */
export const pickMessage = ({ channels, targeting, content }: Campaign) => ({ channels, targeting, content })

/** The field with what the campaign was like when the question was asked. */
export const markField = string('What the campaign was like when it was asked about.', { maxLength: 100 })

/** Reads a campaign of the member's organization. @throws NOT_FOUND */
export const readCampaign = async ({ work, member }: ConsolePage, id: string) =>
  presentDetails(work.trx, await readOwnCampaign(work.trx, member, id))

/** Tells why a campaign cannot be sent now; undefined if it can. */
export async function findObstacle({ work, member }: ConsolePage, id: string): Promise<ProblemError | undefined> {
  try {
    await previewSending(work, member, { id, precondition: () => undefined })
    return undefined
  } catch (cause) {
    return getRefusal(cause)
  }
}

async function renderSending(page: ConsolePage, campaign: Campaign, refused?: ProblemError): Promise<Answer> {
  const phrases = campaignWords[page.language]
  const { id, name } = campaign
  const problem = refused ?? (await findObstacle(page, id))
  const title = phrases.sendTitle(name)
  const content = renderQuestion(
    {
      title,
      consequences: listConsequences(page, campaign, await readReach(page, campaign)),
      button: phrases.sendButton,
      action: getCampaignAddress(id, '/send'),
      back: getCampaignAddress(id),
      fields: { mark: computeMark(pickMessage(campaign)) },
      problem,
    },
    addCampaignRefusals(page),
  )
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

/** The page that says whom sending reaches, and that it cannot be taken back. */
const questionOperation = declareOperation({
  id: 'console_campaign_send_question_v1',
  method: 'GET',
  path: `${campaignsPath}/:id/send`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a campaign is sent' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getCampaignAddress(input.params.id, '/send'), 'loyalty:update')
  return isAnswer(page) ? page : renderSending(page, await readCampaign(page, input.params.id))
})

const sendOperation = declareOperation({
  id: 'console_campaign_send_page_v1',
  method: 'POST',
  path: `${campaignsPath}/:id/send`,
  ...memberPageOptions,
  body: object({ mark: markField }),
  document: { tag: 'Pages', summary: 'Send a campaign' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id, '/send'), 'loyalty:update')
  if (isAnswer(page)) return page
  const campaign = await readCampaign(page, id)
  try {
    return await input.finish(async (work) => {
      await sendCampaign(work, page.member, { id, precondition: createMarkCheck(input.body.mark, pickMessage) })
      return answerRedirect(getCampaignAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderSending(page, campaign, getRefusal(cause))
  }
})

export const sendPages: Operation[] = [questionOperation, sendOperation]
