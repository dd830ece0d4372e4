import { answerBytes, answerRedirect } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { ProblemError } from '../../kernel/problem.ts'
import { object, oneOf, string } from '../../kernel/schema.ts'
import { BadGatewayError, UnavailableError } from '../../kernel/unavailable.ts'
import { createOwnSaveLink, makeOwnPass, setOwnOptIn } from '../../features/loyalty/index.ts'
import { keepLanguage, languageParameter } from '../site/reader.ts'
import { getBuyer, openPage } from './page.ts'
import { getPageAddress, renderCardFailure, type CardFailure, type MePage } from './me.views.ts'

const tag = 'Pages'
const transport = { page: true } as const
const slug = string('Slug of the application.', { minLength: 1, maxLength: 100 })
const channels = ['apple-wallet', 'google-wallet'] as const
const channel = oneOf(channels, 'The wallet.')

const backTo = (page: MePage) => answerRedirect(keepLanguage(getPageAddress(page), page.reader), undefined, 303)

/** Returns why there is no card. @throws what failed for any other reason */
function getCardFailure(error: unknown): CardFailure {
  if (error instanceof ProblemError && error.code === 'WALLET_NOT_CONFIGURED') return 'notConfigured'
  if (error instanceof UnavailableError || error instanceof BadGatewayError) return 'unavailable'
  throw error
}

/** Gives the buyer their card: the file of Apple Wallet, or the way to Google Wallet. */
const cardOperation = declareOperation({
  id: 'me_wallet_page_v1',
  method: 'GET',
  path: '/me/wallets/:channel',
  access: 'public',
  params: { channel },
  query: { application: slug, lang: languageParameter },
  returns: { 200: { type: 'text/html', description: 'The card, or the page that says why there is none.' } },
  transport,
  document: { tag, summary: 'The card of a buyer for a wallet' },
}).withOutboundHandler(async ({ caller, context, params, query, request }) => {
  const page = await openPage(context, query, request)
  const buyer = getBuyer(caller, page.application)
  // The page has the way to sign in.
  if (!buyer) return backTo(page)
  try {
    if (params.channel === 'google-wallet') return answerRedirect(await createOwnSaveLink(context, buyer))
    const { body, type, headers } = await makeOwnPass(context, buyer)
    return answerBytes(body, type, headers)
  } catch (error) {
    const failure = getCardFailure(error)
    context.log.warn({ err: error, application: page.application.id }, 'a buyer got no card')
    return renderCardFailure(page, failure)
  }
})

/** Lets messages of campaigns come to the card of a buyer, or not any more. */
const messagesOperation = declareOperation({
  id: 'me_wallet_messages_page_v1',
  method: 'POST',
  path: '/me/wallets/:channel/messages',
  access: 'public',
  params: { channel },
  body: object({
    application: slug,
    lang: languageParameter,
    messages: oneOf(['on', 'off'], 'Whether they may come.'),
  }),
  returns: { 303: null },
  transport,
  document: { tag, summary: 'Messages to the card of a buyer' },
}).withOutboundHandler(async ({ body, caller, context, params, request }) => {
  const page = await openPage(context, body, request)
  const buyer = getBuyer(caller, page.application)
  const wallet = channels.find((each) => each === params.channel)
  if (buyer && wallet) await context.db.transaction((trx) => setOwnOptIn(trx, buyer, wallet, body.messages === 'on'))
  return backTo(page)
})

/** The cards of buyers, and the messages that come to them. */
export const ownWalletPages: Operation[] = [cardOperation, messagesOperation]
