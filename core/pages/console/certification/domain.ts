import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import type { ProblemError } from '../../../kernel/problem.ts'
import { object, string } from '../../../kernel/schema.ts'
import { checkConfiguredDomain, chooseDidWebDomain, readDidWebConfig } from '../../../features/certification/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { copyScript } from '../frame/copy.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { domainPath as path, renderDomainPage } from './domain.views.ts'
import { addCertificationRefusals, certificationWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** The domain that is signed under, and the document to publish there. */
const showOperation = declareOperation({
  id: 'console_certification_domain_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'The did:web domain and its document' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:read')
  return isAnswer(page) ? page : renderOwn(page)
})

async function renderOwn(page: ConsolePage, problem?: ProblemError, written?: string): Promise<Answer> {
  const { member, work, language } = page
  const config = await readDidWebConfig(work.trx, work.context, member.organization)
  const content = renderDomainPage(page, { config, written, mayUpdate: may(member, 'dpp:update'), problem })
  const options = {
    title: certificationWords[language].domainTitle,
    wide: false,
    ...(config.domain !== null && { script: copyScript }),
    ...getProblemStatus(problem),
  }
  return renderFramed(page, options, content)
}

const setOperation = declareOperation({
  id: 'console_certification_domain_set_page_v1',
  method: 'POST',
  path,
  ...memberPageOptions,
  body: object({ domain: string('A bare host name.', { maxLength: 400 }) }),
  document: { tag: 'Pages', summary: 'Set the did:web domain' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'dpp:update')
  if (isAnswer(page)) return page
  const domain = input.body.domain.trim()
  try {
    return await input.finish(async (work) => {
      await chooseDidWebDomain(work, page.member.organization, domain)
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return renderOwn(page, getRefusal(cause), domain)
  }
})

const checkOperation = declareOperation({
  id: 'console_certification_domain_check_page_v1',
  method: 'POST',
  path: `${path}/check`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Check the published DID document' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'dpp:update')
  if (isAnswer(page)) return page
  try {
    const store = await checkConfiguredDomain(input.work, page.member.organization)
    return await input.finish(async (work) => {
      await store(work)
      return answerRedirect(path, undefined, 303)
    })
  } catch (cause) {
    return renderOwn(page, getRefusal(cause))
  }
})

/** The page that says what it means to sign without a domain. */
const askOperation = declareOperation({
  id: 'console_certification_domain_remove_question_v1',
  method: 'GET',
  path: `${path}/remove`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before the did:web domain is removed' },
}).withReadHandler(async (input) => {
  const page = openPage(input, path, 'dpp:update')
  if (isAnswer(page)) return page
  const { member, work, language } = page
  const phrases = certificationWords[language]
  const { domain, active } = await readDidWebConfig(work.trx, work.context, member.organization)
  const title = phrases.domainRemoveTitle
  const question = {
    title,
    consequences: [
      domain !== null && domain !== active?.domain && phrases.domainRemovePending(domain),
      active !== null && phrases.domainRemoveText(active.domain),
      active !== null && phrases.domainRemoveKeep,
      domain === null && phrases.domainNone,
    ],
    button: phrases.domainRemove,
    action: `${path}/remove`,
    back: path,
    problem: undefined,
  }
  return renderFramed(page, { title, wide: false }, renderQuestion(question, addCertificationRefusals(page)))
})

const removeOperation = declareOperation({
  id: 'console_certification_domain_remove_page_v1',
  method: 'POST',
  path: `${path}/remove`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Remove the did:web domain' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'dpp:update')
  if (isAnswer(page)) return page
  return input.finish(async (work) => {
    await chooseDidWebDomain(work, page.member.organization, null)
    return answerRedirect(path, undefined, 303)
  })
})

export const certificationDomainPages: Operation[] = [
  showOperation,
  setOperation,
  checkOperation,
  askOperation,
  removeOperation,
]
