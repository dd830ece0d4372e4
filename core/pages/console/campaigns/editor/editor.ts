import { readApplication } from '../../../../features/applications/index.ts'
import {
  changeCampaign,
  createCampaign,
  listTierChoices,
  presentDetails,
  readOwnCampaign,
  type Campaign,
} from '../../../../features/loyalty/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../../kernel/schema.ts'
import { html, type Markup } from '../../../site/html.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal, renderSelect } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { formatAddress, uuidField, type QueryText } from '../../frame/lists.ts'
import { renderApplicationOptions, renderWhatNext } from '../../frame/lists.views.ts'
import { computeMark, createMarkCheck } from '../../frame/marks.ts'
import { listApplicationsOf, readWallets } from '../applications.ts'
import { renderWalletHint } from '../campaigns.views.ts'
import { cardWords } from '../cards/words.ts'
import { renderDraftActs } from '../sending/acts.views.ts'
import { campaignScript, campaignsPath, getCampaignAddress } from '../paths.ts'
import { campaignWords } from '../words/words.ts'
import { numbersPath, readNumbers } from './audience.ts'
import { emptyForm, formFields, parseForm, readForm, toForm, type CampaignForm } from './editor.form.ts'
import { renderEditor } from './editor.views.ts'

/** A form that is shown as it was written: previewed, or refused. */
interface WrittenForm {
  form: CampaignForm
  mark?: string
  problem?: ProblemError
}

interface EditorOptions {
  title: string
  top: Markup | false
  action: string
  mark: string | null
  form: CampaignForm
  problem: ProblemError | undefined
}

async function renderForm(page: ConsolePage, application: string, options: EditorOptions): Promise<Answer> {
  const { title, form, problem } = options
  const { id, name, theme } = await readApplication(page.work, application)
  const tiers = await listTierChoices(page.work, page.member, id)
  const { headline, body } = form.texts
  const shownTier = tiers.find((tier) => form.tiers.includes(tier.id)) ?? tiers[0]
  const content = renderEditor(page, {
    ...options,
    application: { id, name },
    tiers,
    card: {
      theme,
      program: theme.title ?? name,
      tier: shownTier?.name ?? (tiers.length > 0 ? cardWords[page.language].exampleTier : null),
      message: { headline, body },
    },
    numbers: await readNumbers(page, id, form),
    numbersPath: formatAddress(numbersPath, { application: id }),
  })
  return renderFramed(page, { title, script: campaignScript, ...getProblemStatus(problem) }, content)
}

/** Renders the form for a new campaign of one of the applications. */
async function renderNew(page: ConsolePage, wanted: QueryText, written?: WrittenForm): Promise<Answer> {
  const phrases = campaignWords[page.language]
  const { applications, chosen } = await listApplicationsOf(page, wanted)
  if (!chosen)
    return renderFramed(
      page,
      { title: phrases.newTitle, wide: false },
      html`<h1>${phrases.newTitle}</h1>
${renderWhatNext(page.words, phrases.newTitle, html`${phrases.emptyApplication} <a href="/console/applications/new">${phrases.application}</a>`)}`,
    )
  const choice =
    applications.length > 1
    && !written
    && html`<form class="narrow" method="get" action="${campaignsPath}/new">
${renderSelect({ name: 'application', label: page.words.list.application }, renderApplicationOptions(applications, chosen.id))}
<p><button class="small plain">${phrases.choose}</button></p></form>`
  const note = written && !written.problem && html`<p role="status">${phrases.notSaved}</p>`
  const wallets = await readWallets(page, chosen)
  return renderForm(page, chosen.id, {
    title: phrases.newTitle,
    top: html`${choice}${note}${renderWalletHint(page, wallets)}`,
    action: campaignsPath,
    mark: null,
    form: written?.form ?? emptyForm,
    problem: written?.problem,
  })
}

/** Picks what the form changes of a campaign. */
const pickContent = ({ name, description, channels, targeting, content }: Campaign) => ({
  name,
  description,
  channels,
  targeting,
  content,
})

/** Renders the form of a draft. */
export async function renderDraft(
  page: ConsolePage,
  campaign: Campaign,
  { isSaved = false, written }: { isSaved?: boolean; written?: WrittenForm } = {},
): Promise<Answer> {
  const phrases = campaignWords[page.language]
  const { id, application } = campaign
  const { problem } = written ?? {}
  const stored = computeMark(pickContent(campaign))
  // Whoever has seen that somebody changed it can save over it.
  const mark = problem?.code === 'PRECONDITION_FAILED' ? stored : (written?.mark ?? stored)
  const wallets = await readWallets(page, await readApplication(page.work, application))
  const note = written
    ? !problem && html`<p role="status">${phrases.notSaved}</p>`
    : isSaved && html`<p class="good" role="status">${phrases.saved}</p>`
  return renderForm(page, application, {
    title: phrases.editTitle(campaign.name),
    top: html`${note}${!written && renderDraftActs(page, campaign)}${renderWalletHint(page, wallets)}`,
    action: getCampaignAddress(id),
    mark,
    form: written?.form ?? toForm(campaign),
    problem,
  })
}

const newOperation = declareOperation({
  id: 'console_campaign_new_page_v1',
  method: 'GET',
  path: `${campaignsPath}/new`,
  ...memberPageOptions,
  query: { application: uuidField('The application; the first one, if it is left out.') },
  document: { tag: 'Pages', summary: 'A new campaign' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${campaignsPath}/new`, 'loyalty:create')
  return isAnswer(page) ? page : renderNew(page, input.query.application)
})

const editorBody = object(
  {
    application: uuidField('Its application.'),
    ...formFields,
    mark: optional(string('What the campaign was like when the form was opened.', { maxLength: 100 })),
    act: oneOf(['save', 'show'], 'Whether to keep what is written, or to show what it comes to.'),
  },
  { additionalProperties: string('A tier or a language whose box was ticked.', { maxLength: 3 }) },
)
const maxBodyBytes = 64_000

/** Shows what a form for a new campaign comes to, or makes a draft of it. */
const createOperation = declareOperation({
  id: 'console_campaign_create_page_v1',
  method: 'POST',
  path: campaignsPath,
  ...memberPageOptions,
  body: editorBody,
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  document: { tag: 'Pages', summary: 'Create a campaign' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, `${campaignsPath}/new`, 'loyalty:create')
  if (isAnswer(page)) return page
  const { application = '', act } = input.body
  const form = readForm(input.body)
  if (act === 'show') return renderNew(page, application, { form })
  try {
    const { description, ...values } = parseForm(application, form)
    const body = { application, ...values, ...(description !== null && { description }) }
    return await input.finish(async (work) => {
      const { id } = await createCampaign(work, page.member, body)
      return answerRedirect(`${getCampaignAddress(id)}?saved=yes`, undefined, 303)
    })
  } catch (cause) {
    return renderNew(page, application, { form, problem: getRefusal(cause) })
  }
})

/** Shows what a form for a draft comes to, or changes the draft. */
const updateOperation = declareOperation({
  id: 'console_campaign_update_page_v1',
  method: 'POST',
  path: `${campaignsPath}/:id`,
  ...memberPageOptions,
  body: editorBody,
  transport: { ...memberPageOptions.transport, maxBodyBytes },
  document: { tag: 'Pages', summary: 'Change a campaign' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getCampaignAddress(id), 'loyalty:update')
  if (isAnswer(page)) return page
  const { mark = '', act } = input.body
  const campaign = await presentDetails(page.work.trx, await readOwnCampaign(page.work.trx, page.member, id))
  const form = readForm(input.body)
  if (act === 'show') return renderDraft(page, campaign, { written: { form, mark } })
  try {
    const patch = parseForm(campaign.application, form)
    return await input.finish(async (work) => {
      await changeCampaign(work, page.member, { id, patch, precondition: createMarkCheck(mark, pickContent) })
      return answerRedirect(`${getCampaignAddress(id)}?saved=yes`, undefined, 303)
    })
  } catch (cause) {
    return renderDraft(page, campaign, { written: { form, mark, problem: getRefusal(cause) } })
  }
})

export const editorPages: Operation[] = [newOperation, createOperation, updateOperation]
