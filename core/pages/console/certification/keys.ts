import { answerRedirect, isAnswer, type Answer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createValidationProblem, type Issue, type ProblemError } from '../../../kernel/problem.ts'
import { object, oneOf, string } from '../../../kernel/schema.ts'
import {
  listShownKeys,
  readDidWebConfig,
  readShownKey,
  rehearseRevocation,
  rehearseRotation,
  revokeOwnKey,
  rotateOwnKey,
} from '../../../features/certification/index.ts'
import { readKeyUse } from '../../../features/dpp/index.ts'
import { may, memberPageOptions } from '../console.ts'
import { getRefusal, renderQuestion } from '../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { certificationPath as path } from './certification.views.ts'
import { formatKey, getKeyAddress, renderKey, renderRevocation, type RevocationForm } from './keys.views.ts'
import { addCertificationRefusals, certificationWords } from './words.ts'
import { getProblemStatus } from '../../site/layout.ts'

/** One key, with what is public about it. */
const readOperation = declareOperation({
  id: 'console_certification_key_page_v1',
  method: 'GET',
  path: `${path}/keys/:id`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'One certification key' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getKeyAddress(input.params.id), 'dpp:read')
  if (isAnswer(page)) return page
  const key = await readShownKey(page.work, page.member.organization, input.params.id)
  const title = certificationWords[page.language].keyTitle(formatKey(key))
  return renderFramed(page, { title, wide: false }, renderKey(page, key, may(page.member, 'dpp:update')))
})

/** The page that says what a rotation does. */
const askOperation = declareOperation({
  id: 'console_certification_rotate_question_v1',
  method: 'GET',
  path: `${path}/rotate`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before the certification key is rotated' },
}).withReadHandler(async (input) => {
  const page = openPage(input, `${path}/rotate`, 'dpp:update')
  return isAnswer(page) ? page : askRotation(page)
})

async function askRotation(page: ConsolePage, problem?: ProblemError): Promise<Answer> {
  const phrases = certificationWords[page.language]
  const title = phrases.rotateTitle
  const question = {
    title,
    consequences: problem ? [phrases.rotateWaits] : await listRotationConsequences(page),
    button: phrases.rotate,
    action: `${path}/rotate`,
    back: path,
    problem,
  }
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderQuestion(question, addCertificationRefusals(page)))
}

async function listRotationConsequences({ member, work, language }: ConsolePage): Promise<string[]> {
  const phrases = certificationWords[language]
  const keys = await listShownKeys(work, member.organization)
  if (keys.some(({ status }) => status === 'pending')) return [phrases.rotateWaits]
  const active = keys.find(({ status }) => status === 'active')
  const { key, queuedJobs } = await rehearseRotation(work, member.organization)
  const networks = key.networks.map(({ network }) => network).join(', ')
  return [
    ...(active ? [phrases.rotateReplaces(formatKey(active))] : []),
    queuedJobs > 0
      ? phrases.rotateNetworks(queuedJobs, networks)
      : key.status === 'active'
        ? phrases.rotateAtOnce
        : phrases.rotateDocument,
  ]
}

const rotateOperation = declareOperation({
  id: 'console_certification_rotate_page_v1',
  method: 'POST',
  path: `${path}/rotate`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Rotate the certification key' },
}).withOutboundHandler(async (input) => {
  const page = openPage(input, path, 'dpp:update')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      const { key } = await rotateOwnKey(work, page.member.organization)
      return answerRedirect(getKeyAddress(key.id), undefined, 303)
    })
  } catch (cause) {
    return askRotation(page, getRefusal(cause))
  }
})

/** The form before a key is revoked. */
const questionOperation = declareOperation({
  id: 'console_certification_revoke_question_v1',
  method: 'GET',
  path: `${path}/keys/:id/revoke`,
  ...memberPageOptions,
  document: { tag: 'Pages', summary: 'Before a certification key is revoked' },
}).withReadHandler(async (input) => {
  const page = openPage(input, getKeyAddress(input.params.id), 'dpp:update')
  return isAnswer(page) ? page : renderQuestionPage(page, input.params.id, { reason: '', since: '' })
})

async function renderQuestionPage(
  page: ConsolePage,
  id: string,
  form: RevocationForm,
  problem?: ProblemError,
): Promise<Answer> {
  const key = await readShownKey(page.work, page.member.organization, id)
  const title = certificationWords[page.language].revokeTitle(formatKey(key))
  const options = { title, wide: false, ...getProblemStatus(problem) }
  return renderFramed(page, options, renderRevocation(page, { key, form, rehearsed: null, hasDomain: false, problem }))
}

/** Shows what a revocation with this reason and time would do. */
async function showConsequences(page: ConsolePage, id: string, form: RevocationForm): Promise<Answer> {
  const { member, work, language } = page
  const { organization } = member
  const rehearsed = await rehearseRevocation(work, organization, id, parseForm(form), [readKeyUse])
  const [key, { active }] = await Promise.all([
    readShownKey(work, organization, id),
    readDidWebConfig(work.trx, work.context, organization),
  ])
  const title = certificationWords[language].revokeTitle(formatKey(key))
  const view = { key, form, rehearsed, hasDomain: active !== null, problem: undefined }
  return renderFramed(page, { title, wide: false }, renderRevocation(page, view))
}

const instantPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:Z| ?UTC)?$/i

/** Returns the instant that was written; undefined for one that no calendar has. */
function parseInstant(text: string): string | undefined {
  const [, day, time] = instantPattern.exec(text) ?? []
  if (day === undefined || time === undefined) return undefined
  const date = new Date(`${day}T${time}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? date.toISOString() : undefined
}

/** Parses the form of a revocation. @throws VALIDATION_FAILED for what the operation would not take */
function parseForm(form: RevocationForm): { reason: string; compromisedAt?: string } {
  const [reason, since] = [form.reason.trim(), form.since.trim()]
  const compromisedAt = since === '' ? undefined : parseInstant(since)
  const issues: Issue[] = []
  if (reason === '') issues.push({ path: 'reason', code: 'required', message: 'is missing' })
  if (reason.length > 500) issues.push({ path: 'reason', code: 'max_length', message: 'has more than 500 characters' })
  if (since !== '' && compromisedAt === undefined)
    issues.push({ path: 'compromisedAt', code: 'format', message: 'must be a day and time, as 2026-03-01T09:30' })
  if (issues.length > 0) throw createValidationProblem(issues)
  return { reason, ...(compromisedAt !== undefined && { compromisedAt }) }
}

const revokeOperation = declareOperation({
  id: 'console_certification_revoke_page_v1',
  method: 'POST',
  path: `${path}/keys/:id/revoke`,
  ...memberPageOptions,
  body: object({
    reason: string('Why.', { maxLength: 1_000 }),
    since: string('Since when others may have had it, or nothing.', { maxLength: 200 }),
    act: oneOf(['look', 'revoke'], 'Whether to tell what would happen, or to do it.'),
  }),
  document: { tag: 'Pages', summary: 'Revoke a certification key' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getKeyAddress(id), 'dpp:update')
  if (isAnswer(page)) return page
  const { act, ...form } = input.body
  try {
    if (act === 'look') return await showConsequences(page, id, form)
    const reason = parseForm(form)
    return await input.finish(async (work) => {
      await revokeOwnKey(work, page.member.organization, id, reason)
      return answerRedirect(getKeyAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderQuestionPage(page, id, form, getRefusal(cause))
  }
})

export const certificationKeyPages: Operation[] = [
  readOperation,
  askOperation,
  rotateOperation,
  questionOperation,
  revokeOperation,
]
