import {
  createMagicToken,
  deletePassport,
  previewPassportDeletion,
  previewStatusChange,
  readPassportState,
  revokeMagicToken,
  setStatus,
  type Passport,
  type StatusChange,
} from '../../../../features/dpp/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { isObject } from '../../../../kernel/json/values.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import type { ProblemError } from '../../../../kernel/problem.ts'
import { object, oneOf, optional, string } from '../../../../kernel/schema.ts'
import { memberPageOptions } from '../../console.ts'
import { getRefusal } from '../../frame/forms.views.ts'
import { copyScript } from '../../frame/copy.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { formatTitle, getPassportAddress, passportsPath, readTitles } from '../list/titles.ts'
import { previewAct } from '../bulk/acts.ts'
import { passportWords } from '../words/words.ts'
import { renderActQuestion, renderClaimLink, renderLinkOffer, type StatusAct } from './acts.views.ts'
import { getProblemStatus } from '../../../site/layout.ts'

/** A passport that a page asks about, by its name. @throws NOT_FOUND */
async function openPassport({ work, member }: ConsolePage, id: string): Promise<{ passport: Passport; name: string }> {
  const { passport } = await readPassportState(work, member, id)
  const [title = { name: id, mark: null }] = await readTitles(work.trx, [passport])
  return { passport, name: formatTitle(title) }
}

const deletionOperation = declareOperation({
  id: 'console_passport_delete_question_v1',
  method: 'GET',
  path: `${passportsPath}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a passport is deleted' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getPassportAddress(input.params.id), 'dpp:delete')
  return isAnswer(page) ? page : askDeletion(page, input.params.id)
})

async function askDeletion(page: ConsolePage, id: string, refused?: ProblemError): Promise<Answer> {
  const { member, work, language } = page
  const { name } = await openPassport(page, id)
  const phrases = passportWords[language]
  const { dryRun, problem = refused } = await previewAct(previewPassportDeletion(work, member, id, () => undefined))
  const title = phrases.deleteTitle(name)
  const content = renderActQuestion(page, {
    title,
    consequence: phrases.consequences.delete,
    warnings: dryRun?.warnings ?? [],
    dryRun: null,
    button: phrases.oneActs.delete,
    action: `${getPassportAddress(id)}/delete`,
    back: getPassportAddress(id),
    problem,
    isRefused: dryRun === null,
    fields: null,
  })
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const deleteOperation = declareOperation({
  id: 'console_passport_delete_page_v1',
  method: 'POST',
  path: `${passportsPath}/:id/delete`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Delete a passport' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getPassportAddress(id), 'dpp:delete')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await deletePassport(work, page.member, id, () => undefined)
      return answerRedirect(passportsPath, undefined, 303)
    })
  } catch (cause) {
    return askDeletion(page, id, getRefusal(cause))
  }
})

const statusActs = ['suspend', 'restore', 'revoke'] as const
const statusParams = { change: oneOf(statusActs, 'What becomes of the credentials.') }

const changes: Readonly<Record<StatusAct, Pick<StatusChange, 'purpose' | 'value'>>> = {
  suspend: { purpose: 'suspension', value: true },
  restore: { purpose: 'suspension', value: false },
  revoke: { purpose: 'revocation', value: true },
}

const statusQuestion = declareOperation({
  id: 'console_passport_status_question_v1',
  method: 'GET',
  path: `${passportsPath}/:id/status/:change`,
  ...memberPageOptions,
  params: statusParams,
  document: { tag: 'Pages', summary: 'Before credentials are suspended, restored or revoked' },
}).withReadHandler(async (input) => {
  const { id, change } = input.params
  const page = openPage(input, getPassportAddress(id), 'dpp:update')
  return isAnswer(page) ? page : askStatus(page, id, change as StatusAct)
})

interface StatusForm {
  reason: string
  cascade: boolean
}

async function askStatus(
  page: ConsolePage,
  id: string,
  act: StatusAct,
  refused?: { form: StatusForm; problem: ProblemError },
): Promise<Answer> {
  const { work, member, language } = page
  const { passport, name } = await openPassport(page, id)
  const phrases = passportWords[language]
  const { product } = passport
  const hasChildren = isObject(product) && product['idGranularity'] !== 'item'
  const preview = (cascade: boolean) =>
    previewAct(previewStatusChange(work, member, id, { ...changes[act], reason: act, ...(cascade && { cascade }) }))
  const { dryRun, problem = refused?.problem } = await preview(false)
  const withChildren = hasChildren ? (await preview(true)).dryRun : null
  const title = phrases.statusTitles[act](name)
  const content = renderActQuestion(page, {
    title,
    consequence: phrases.statusConsequences[act],
    warnings: [],
    dryRun,
    button: phrases.oneActs[act],
    action: `${getPassportAddress(id)}/status/${act}`,
    back: getPassportAddress(id),
    problem,
    isRefused: dryRun === null,
    fields: {
      reason: refused?.form.reason ?? '',
      cascade: hasChildren
        ? { isTicked: refused?.form.cascade ?? false, count: withChildren?.willChange ?? null }
        : null,
    },
  })
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, content)
}

const statusOperation = declareOperation({
  id: 'console_passport_status_page_v1',
  method: 'POST',
  path: `${passportsPath}/:id/status/:change`,
  ...memberPageOptions,
  params: statusParams,
  body: object({
    reason: string('Why. It is kept and not published.', { minLength: 1, maxLength: 500, pattern: '\\S' }),
    cascade: optional(oneOf(['on'], 'Whether batches and items come along.')),
  }),
  document: { tag: 'Pages', summary: 'Suspend, restore or revoke the credentials of a passport' },
}).withOutboundHandler(async (input) => {
  const { id, change } = input.params
  const page = openPage(input, getPassportAddress(id), 'dpp:update')
  if (isAnswer(page)) return page
  const act = change as StatusAct
  const form: StatusForm = { reason: input.body.reason.trim(), cascade: input.body.cascade === 'on' }
  try {
    return await input.finish(async (work) => {
      const wanted: StatusChange = { ...changes[act], reason: form.reason, ...(form.cascade && { cascade: true }) }
      await setStatus(work, page.member, id, wanted)
      return answerRedirect(getPassportAddress(id), undefined, 303)
    })
  } catch (cause) {
    return askStatus(page, id, act, { form, problem: getRefusal(cause) })
  }
})

const offerOperation = declareOperation({
  id: 'console_passport_link_offer_v1',
  method: 'GET',
  path: `${passportsPath}/:id/link`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before the claim link of a passport is shown' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, `${getPassportAddress(id)}/link`, 'dpp:update')
  return isAnswer(page) ? page : offerLink(page, id)
})

async function offerLink(page: ConsolePage, id: string, problem?: ProblemError): Promise<Answer> {
  const { name } = await openPassport(page, id)
  const title = passportWords[page.language].linkTitle(name)
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderLinkOffer(page, { id, title, problem }))
}

/** Makes the claim link, or shows the one that was made and not used. */
const linkOperation = declareOperation({
  id: 'console_passport_link_page_v1',
  method: 'POST',
  path: `${passportsPath}/:id/link`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Show the claim link of a passport' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, `${getPassportAddress(id)}/link`, 'dpp:update')
  if (isAnswer(page)) return page
  const { name } = await openPassport(page, id)
  const title = passportWords[page.language].linkTitle(name)
  try {
    return await input.finish(async (work) => {
      const link = await createMagicToken(work, page.member, id)
      return renderFramed(page, { title, wide: false, script: copyScript }, renderClaimLink(page, { id, title, link }))
    })
  } catch (cause) {
    return offerLink(page, id, getRefusal(cause))
  }
})

const endQuestion = declareOperation({
  id: 'console_passport_link_end_question_v1',
  method: 'GET',
  path: `${passportsPath}/:id/link/end`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before the claim link of a passport ends' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getPassportAddress(id), 'dpp:update')
  if (isAnswer(page)) return page
  const { name } = await openPassport(page, id)
  const phrases = passportWords[page.language]
  const title = phrases.endLinkTitle(name)
  const content = renderActQuestion(page, {
    title,
    consequence: phrases.endLinkText,
    warnings: [],
    dryRun: null,
    button: phrases.endLink,
    action: `${getPassportAddress(id)}/link/end`,
    back: getPassportAddress(id),
    problem: undefined,
    isRefused: false,
    fields: null,
  })
  return renderFramed(page, { title, wide: false }, content)
})

const endOperation = declareOperation({
  id: 'console_passport_link_end_page_v1',
  method: 'POST',
  path: `${passportsPath}/:id/link/end`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'End the claim link of a passport' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getPassportAddress(id), 'dpp:update')
  if (isAnswer(page)) return page
  return input.finish(async (work) => {
    await revokeMagicToken(work, page.member, id)
    return answerRedirect(getPassportAddress(id), undefined, 303)
  })
})

/** The pages for acts on one passport. */
export const passportActPages: Operation[] = [
  deletionOperation,
  deleteOperation,
  statusQuestion,
  statusOperation,
  offerOperation,
  linkOperation,
  endQuestion,
  endOperation,
]
