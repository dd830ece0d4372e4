import {
  readStatistics,
  readOwnCampaign,
  removeCampaign,
  resumeCampaign,
  unscheduleCampaign,
  type Campaign,
} from '../../../../features/loyalty/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal, renderQuestion } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { renderCampaign } from '../campaign.ts'
import { campaignsPath, getCampaignAddress } from '../paths.ts'
import { addCampaignRefusals, campaignWords } from '../words/words.ts'
import { readCampaign } from './send.ts'

const noPrecondition = () => undefined

/** Makes a scheduled campaign a draft again. */
const cancelOperation = declareOperation({
  id: 'console_campaign_cancel_page_v1',
  method: 'POST',
  path: `${campaignsPath}/:id/cancel`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Cancel a scheduled campaign' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id), 'loyalty:update')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await unscheduleCampaign(work, page.member, { id, precondition: noPrecondition })
      return answerRedirect(getCampaignAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderCampaign(page, id, { problem: getRefusal(cause) })
  }
})

async function renderResuming(page: ConsolePage, campaign: Campaign, problem?: ProblemError): Promise<Answer> {
  const phrases = campaignWords[page.language]
  const { id, name } = campaign
  const { deliveries } = await readStatistics(page.work.trx, await readOwnCampaign(page.work.trx, page.member, id))
  const title = phrases.resumeTitle(name)
  const content = renderQuestion(
    {
      title,
      consequences: [
        deliveries.pending > 0 ? phrases.resumeText(deliveries.pending) : phrases.resumeAll,
        phrases.resumeOnce,
        phrases.isFinal,
      ],
      button: phrases.resume,
      action: getCampaignAddress(id, '/resume'),
      back: getCampaignAddress(id),
      problem,
    },
    addCampaignRefusals(page),
  )
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const resumeQuestion = declareOperation({
  id: 'console_campaign_resume_question_v1',
  method: 'GET',
  path: `${campaignsPath}/:id/resume`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a campaign goes on' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getCampaignAddress(input.params.id, '/resume'), 'loyalty:update')
  return isAnswer(page) ? page : renderResuming(page, await readCampaign(page, input.params.id))
})

const resumeOperation = declareOperation({
  id: 'console_campaign_resume_page_v1',
  method: 'POST',
  path: `${campaignsPath}/:id/resume`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Resume a stranded campaign' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id, '/resume'), 'loyalty:update')
  if (isAnswer(page)) return page
  const campaign = await readCampaign(page, id)
  try {
    return await input.finish(async (work) => {
      await resumeCampaign(work, page.member, { id, precondition: noPrecondition })
      return answerRedirect(getCampaignAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderResuming(page, campaign, getRefusal(cause))
  }
})

function renderDeletion(page: ConsolePage, { id, name }: Campaign, problem?: ProblemError): Promise<Answer> {
  const phrases = campaignWords[page.language]
  const title = phrases.deleteTitle(name)
  const content = renderQuestion(
    {
      title,
      consequences: [phrases.deleteText],
      button: phrases.deleteDraft,
      action: getCampaignAddress(id, '/delete'),
      back: getCampaignAddress(id),
      problem,
    },
    addCampaignRefusals(page),
  )
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const deleteQuestion = declareOperation({
  id: 'console_campaign_delete_question_v1',
  method: 'GET',
  path: `${campaignsPath}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a draft is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getCampaignAddress(input.params.id, '/delete'), 'loyalty:delete')
  return isAnswer(page) ? page : renderDeletion(page, await readCampaign(page, input.params.id))
})

const deleteOperation = declareOperation({
  id: 'console_campaign_delete_page_v1',
  method: 'POST',
  path: `${campaignsPath}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete a draft' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id, '/delete'), 'loyalty:delete')
  if (isAnswer(page)) return page
  const campaign = await readCampaign(page, id)
  try {
    return await input.finish(async (work) => {
      await removeCampaign(work, page.member, { id, precondition: noPrecondition })
      return answerRedirect(campaignsPath, undefined, 303)
    })
  } catch (cause) {
    return renderDeletion(page, campaign, getRefusal(cause))
  }
})

export const campaignActPages: Operation[] = [
  cancelOperation,
  resumeQuestion,
  resumeOperation,
  deleteQuestion,
  deleteOperation,
]
