import { cardChannels, type CardChannel } from '../../../../features/accounts/index.ts'
import { readApplication } from '../../../../features/applications/index.ts'
import {
  NewWalletCredentials,
  readShownCredentials,
  removeCredentials,
  setCredentials,
} from '../../../../features/loyalty/index.ts'
import { answerRedirect, isAnswer, type Answer } from '../../../../kernel/answer.ts'
import { createJsonValidator } from '../../../../kernel/json/schema-validators.ts'
import { isObject, parseJson } from '../../../../kernel/json/values.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createValidationProblem, type ProblemError } from '../../../../kernel/problem.ts'
import { object, oneOf, optional, string, uuid } from '../../../../kernel/schema.ts'
import { getProblemStatus } from '../../../site/layout.ts'
import { may, memberPageOptions } from '../../console.ts'
import { getRefusal, listFirstIssues, renderQuestion } from '../../frame/forms.views.ts'
import { openPage, renderFramed, type ConsolePage } from '../../frame/frame.ts'
import { brandingPath } from '../previews.ts'
import { getWalletsAddress } from './paths.ts'
import { renderWallets, type RefusedCredentials } from './wallets.views.ts'
import { walletWords } from './words.ts'

const path = `${brandingPath}/:id/wallets`
const channelParams = { id: uuid('The application.'), channel: oneOf(cardChannels, 'The wallet.') }

/** The declaration lets no other word through. */
const toChannel = (text: string) => text as CardChannel

interface WalletsState {
  isSaved?: boolean
  refused?: RefusedCredentials
}

async function renderPage(page: ConsolePage, id: string, { isSaved = false, refused }: WalletsState): Promise<Answer> {
  const { work, member, language } = page
  const application = await readApplication(work, id)
  const title = walletWords[language].title(application.name)
  const content = renderWallets(page, {
    application,
    credentials: await Promise.all(cardChannels.map((channel) => readShownCredentials(work, id, channel))),
    mayChange: may(member, 'application:update'),
    isSaved,
    isProduction: work.context.settings.production,
    now: work.context.clock.now(),
    refused,
  })
  return renderFramed(page, { title, wide: false, ...getProblemStatus(refused?.problem) }, content)
}

const readOperation = declareOperation({
  id: 'console_wallets_page_v1',
  method: 'GET',
  path,
  ...memberPageOptions,
  query: { saved: optional(string('Whether credentials have just been kept.', { maxLength: 3 })) },
  document: { tag: 'Pages', summary: 'Credentials of the wallets of an application' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const page = openPage(input, getWalletsAddress(id), 'application:read')
  return isAnswer(page) ? page : renderPage(page, id, { isSaved: input.query.saved !== undefined })
})

/** The most characters of a certificate or key as it is pasted. */
const maxPastedLength = 60_000
const pasted = (description: string) => optional(string(description, { maxLength: maxPastedLength }))

const validate = createJsonValidator(() => NewWalletCredentials)

/** The fields of the form of either wallet. */
interface PastedCredentials {
  certificate?: string
  privateKey?: string
  serviceAccount?: string
}

/** Reads the credentials that a form has. @throws VALIDATION_FAILED at the field that is wrong */
function parseCredentials(channel: CardChannel, form: PastedCredentials): NewWalletCredentials {
  const isApple = channel === 'apple-wallet'
  const needed = isApple ? (['certificate', 'privateKey'] as const) : (['serviceAccount'] as const)
  const missing = needed.filter((name) => !form[name]?.trim())
  if (missing.length > 0)
    throw createValidationProblem(missing.map((name) => ({ path: name, code: 'required', message: 'is missing' })))
  const { certificate = '', privateKey = '', serviceAccount = '' } = form
  const given: unknown = isApple ? { certificate, privateKey } : { serviceAccount: parseJson(serviceAccount) }
  if (!isApple && !isObject(parseJson(serviceAccount)))
    throw createValidationProblem([{ path: 'serviceAccount', code: 'json', message: 'is no key file' }])
  const issues = listFirstIssues(
    validate(given, '', () => JSON.stringify(given).length).map((issue) => ({
      ...issue,
      path: issue.path.replace(/^\./, ''),
    })),
  )
  if (issues.length > 0) throw createValidationProblem(issues)
  return given as NewWalletCredentials
}

const setOperation = declareOperation({
  id: 'console_wallet_set_page_v1',
  method: 'POST',
  path: `${path}/:channel`,
  ...memberPageOptions,
  params: channelParams,
  body: object({
    certificate: pasted('The certificate of the pass type.'),
    privateKey: pasted('Its key.'),
    serviceAccount: pasted('The key file of the service account.'),
  }),
  transport: { ...memberPageOptions.transport, maxBodyBytes: 4 * maxPastedLength },
  document: { tag: 'Pages', summary: 'Set the credentials of a wallet' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const channel = toChannel(input.params.channel)
  const page = openPage(input, getWalletsAddress(id), 'application:update')
  if (isAnswer(page)) return page
  try {
    const given = parseCredentials(channel, input.body)
    return await input.finish(async (work) => {
      await setCredentials(work, id, channel, given)
      return answerRedirect(`${getWalletsAddress(id)}?saved=yes`, undefined, 303)
    })
  } catch (cause) {
    const { certificate = '' } = input.body
    return renderPage(page, id, { refused: { channel, certificate, problem: getRefusal(cause) } })
  }
})

async function renderRemoval(
  page: ConsolePage,
  { id, channel }: { id: string; channel: CardChannel },
  problem?: ProblemError,
): Promise<Answer> {
  const phrases = walletWords[page.language]
  const title = phrases.removeTitle(phrases.channels[channel])
  await readApplication(page.work, id)
  const question = {
    title,
    consequences: phrases.removeText,
    button: phrases.remove,
    action: `${getWalletsAddress(id)}/${channel}/remove`,
    back: getWalletsAddress(id),
    problem,
  }
  return renderFramed(page, { title, wide: false, ...getProblemStatus(problem) }, renderQuestion(question, page.words))
}

const removeQuestion = declareOperation({
  id: 'console_wallet_remove_question_v1',
  method: 'GET',
  path: `${path}/:channel/remove`,
  ...memberPageOptions,
  params: channelParams,
  document: { tag: 'Pages', summary: 'Before the credentials of a wallet are removed' },
}).withReadHandler(async (input) => {
  const { id } = input.params
  const channel = toChannel(input.params.channel)
  const page = openPage(input, `${getWalletsAddress(id)}/${channel}/remove`, 'application:update')
  return isAnswer(page) ? page : renderRemoval(page, { id, channel })
})

const removeOperation = declareOperation({
  id: 'console_wallet_remove_page_v1',
  method: 'POST',
  path: `${path}/:channel/remove`,
  ...memberPageOptions,
  params: channelParams,
  document: { tag: 'Pages', summary: 'Remove the credentials of a wallet' },
}).withOutboundHandler(async (input) => {
  const { id } = input.params
  const channel = toChannel(input.params.channel)
  const page = openPage(input, getWalletsAddress(id), 'application:update')
  if (isAnswer(page)) return page
  try {
    return await input.finish(async (work) => {
      await removeCredentials(work, id, channel)
      return answerRedirect(getWalletsAddress(id), undefined, 303)
    })
  } catch (cause) {
    return renderRemoval(page, { id, channel }, getRefusal(cause))
  }
})

export const walletCredentialPages: Operation[] = [readOperation, setOperation, removeQuestion, removeOperation]
