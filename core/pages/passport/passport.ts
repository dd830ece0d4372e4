import { answerBytes, answerRedirect } from '../../kernel/answer.ts'
import { getCallerOrganization } from '../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { optional, string, uuid } from '../../kernel/schema.ts'
import {
  hasNoNumbers,
  readPassportPage,
  readCredential,
  readEmbeddedPicture,
  readServedForm,
  recordScan,
  parseScannedNumbers,
  scannedQuery,
  formatScannedSearch,
} from '../../features/dpp/index.ts'
import { listOwnOpenWallets, listPersonAccounts } from '../../features/loyalty/index.ts'
import { dressReader } from '../site/brand.views.ts'
import { html } from '../site/html.ts'
import { cardOperation } from './card/card.ts'
import { renderSharedHead } from './passport.head.ts'
import { renderLanguageLinks, renderPassportPage } from './passport.views.ts'
import { keepLanguage, languageParameter, detectReader } from '../site/reader.ts'
import { answerSize, getSizeHash, picturePolicy, sizeName } from '../site/served-files.ts'

const tag = 'Pages'

/**
 * The public page of a passport: what the product is, what is certified and how the certificate stands now, and who has
 * owned it. It can be read without signing in and shows nothing personal. Browsers keep the page and revalidate it at
 * each visit (`no-cache` with an ETag, not `no-store`): each visit is counted and checked here, and costs a phone only
 * a 304 without a body while nothing has changed.
 */
const passportPageOperation = declareOperation({
  id: 'passport_page_v1',
  method: 'GET',
  path: '/p/:id',
  access: 'public',
  query: {
    lang: languageParameter,
    ...scannedQuery,
    link: optional(string('`wrong` where what was given to claim with is no link.', { maxLength: 20 })),
  },
  returns: { 200: { type: 'text/html', description: 'The page.' } },
  transport: { page: true, hasEtag: true },
  document: { tag, summary: 'The public page of a passport' },
}).withReadHandler(async ({ caller, params, query, request, work }) => {
  const { context } = work
  const own = caller.kind === 'endUser' ? await listPersonAccounts(work, caller) : []
  const detected = detectReader(request, query.lang)
  const view = await readPassportPage(context, params.id, {
    language: detected.language,
    address: request.address,
    scanned: parseScannedNumbers(query),
    accounts: own.map(({ id }) => id),
  })
  if (!view) throw createNotFoundProblem()
  const {
    passport: { id },
    unregistered,
  } = view
  if (getCallerOrganization(caller) !== view.organization)
    await recordScan(context, id, request.address, !hasNoNumbers(unregistered))
  const address = `${context.settings.publicUrl}/p/${id}`
  const { theme } = view.application
  const reader = await dressReader(context, detected, { ...view, theme })
  const passportReader = { ...reader, today: context.clock.now() }
  // Only the page of its owner leads to the card.
  const hasCard =
    view.isOwn && caller.kind === 'endUser' && (await listOwnOpenWallets(context.db, context, caller)).length > 0
  return renderPassportPage(view, passportReader, {
    hasCard,
    here: `/p/${id}${formatScannedSearch(parseScannedNumbers(query))}`,
    head: html`${renderLanguageLinks(address, passportReader)}${renderSharedHead(view, address)}`,
    isWrongLink: query.link === 'wrong',
  })
})

/** A picture that stands in the product itself, as that of a label or of a symbol. */
const embeddedPictureOperation = declareOperation({
  id: 'passport_picture_v1',
  method: 'GET',
  path: '/p/:id/picture',
  access: 'public',
  query: { of: string('The members that lead to it from the product, as `productLabel.0`.', { maxLength: 300 }) },
  returns: { 200: { type: 'image/*', description: 'The picture.' } },
  transport: { hasEtag: true },
  document: { tag, summary: 'A picture in the product of a passport', isHidden: true },
}).withReadHandler(async ({ params, query, work: { context } }) => {
  const picture = await readEmbeddedPicture(context.db, params.id, query.of)
  if (!picture) throw createNotFoundProblem()
  return answerBytes(picture.bytes, picture.type, picturePolicy)
})

/** A picture of the product or the logo, in one of the sizes that were made of what its brand has at an address. */
const servedPictureOperation = declareOperation({
  id: 'passport_picture_form_v1',
  method: 'GET',
  path: '/p/:id/pictures/:name',
  access: 'public',
  params: {
    id: uuid('The passport.'),
    name: sizeName,
  },
  returns: { 200: { type: 'image/webp', description: 'The picture.' } },
  document: { tag, summary: 'A picture of a passport in one size', isHidden: true },
}).withReadHandler(async ({ params: { id, name }, work: { context } }) =>
  answerSize(await readServedForm(context.db, id, getSizeHash(name))),
)

/** The credential as a token; it has an address of its own because a link cannot ask for a media type. */
const credentialTokenOperation = declareOperation({
  id: 'passport_credential_token_v1',
  method: 'GET',
  path: '/p/:id/credential.jwt',
  access: 'public',
  returns: { 200: { type: 'application/vc+jwt', description: 'The credential.' } },
  document: { tag, summary: 'The credential as a token', isHidden: true },
}).withReadHandler(async ({ caller, params, request, work }) => {
  const credentialRequest = {
    accept: 'application/vc+jwt',
    cryptosuite: undefined,
    version: null,
    address: request.address,
  }
  const { body, type } = await readCredential(work, caller, params.id, credentialRequest)
  return answerBytes(body, type, {
    'Content-Disposition': `attachment; filename="${params.id}.jwt"`,
    'Cache-Control': 'no-cache',
  })
})

/** The button under the passport: it leads from a magic link, or the token in it, to the page that claims. */
const claimRedirectOperation = declareOperation({
  id: 'passport_claim_page_v1',
  method: 'GET',
  path: '/p/:id/claim',
  access: 'public',
  query: {
    lang: languageParameter,
    ...scannedQuery,
    link: optional(string('The magic link, or its token.', { maxLength: 5000 })),
  },
  returns: { 302: null },
  transport: { page: true },
  document: { tag, summary: 'From the passport to its claim' },
}).withReadHandler(async ({ params, query: { link = '', lang: wanted }, request }) => {
  const token = parseToken(link.trim())
  const reader = detectReader(request, wanted)
  if (token === null) return answerRedirect(`${keepLanguage(`/p/${params.id}?link=wrong`, reader)}#link`)
  return answerRedirect(keepLanguage(`/claim?token=${encodeURIComponent(token)}`, reader))
})

/** Parses a token, or the token in a link; a token is three parts in base64url. Source: RFC 7515, section 7.1. */
function parseToken(given: string): string | null {
  const token = URL.canParse(given) ? (new URL(given).searchParams.get('token') ?? '') : given
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length <= 4096 ? token : null
}

export const passportPages: Operation[] = [
  passportPageOperation,
  embeddedPictureOperation,
  servedPictureOperation,
  cardOperation,
  credentialTokenOperation,
  claimRedirectOperation,
]
