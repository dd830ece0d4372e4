import { bytes, redirect } from '../kernel/answer.ts'
import { organizationOf } from '../kernel/caller.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { notFound } from '../kernel/problem.ts'
import { optional, string } from '../kernel/schema.ts'
import {
  isEmpty, openPassport, readCredential, recordScan, scannedNumbers, scannedQuery, searchOfNumbers,
} from '../features/dpp/index.ts'
import { languageLinks, passportContent } from './passport.views.ts'
import { inLanguage, lang, publicPage, readerOf } from './reader.ts'
import { words } from './words.ts'

const tag = 'Pages'

/**
 * What the item is, what of it is certified and how that stands now, who had it. Readable without signing in; nothing
 * personal is on it. Browsers keep it and ask each time whether it is still the same (`no-cache` with an ETag, not
 * `no-store`): so every look is counted and checked here, and costs a phone 304 and no bytes while nothing has changed.
 */
const passportPage = operation({
  id: 'passport_page_v1', method: 'GET', path: '/p/:id', summary: 'The public page of a passport', tag,
  access: 'public', page: true,
  query: { lang, ...scannedQuery, link: optional(string('`wrong` where what was given to claim with is no link.', { maxLength: 20 })) },
  etag: true, returns: { 200: { type: 'text/html', description: 'The page.' } },
}).readBy(async ({ caller, params, query, request, work: { context } }) => {
  const view = await openPassport(context, params.id, { address: request.address, scanned: scannedNumbers(query) })
  if (!view) throw notFound()
  const { passport: { id }, unregistered } = view
  if (organizationOf(caller) !== view.organization) await recordScan(context, id, request.address, !isEmpty(unregistered))
  const look = { ...readerOf(request, query.lang), today: context.clock.now() }
  return publicPage(look, {
    title: words[look.language].title(view.title), here: `/p/${id}${searchOfNumbers(scannedNumbers(query))}`,
    head: languageLinks(`${context.settings.publicUrl}/p/${id}`),
  }, passportContent(view, look, query.link === 'wrong'))
})

/** The credential as a token: a link cannot ask for a media type. */
const credentialToken = operation({
  id: 'passport_credential_token_v1', method: 'GET', path: '/p/:id/credential.jwt', summary: 'The credential as a token',
  tag, access: 'public', hidden: true, returns: { 200: { type: 'application/vc+jwt', description: 'The credential.' } },
}).readBy(async ({ caller, params, request, work }) => {
  const wish = { accept: 'application/vc+jwt', cryptosuite: undefined, version: null, address: request.address }
  const { body, type } = await readCredential(work, caller, params.id, wish)
  return bytes(body, type, {
    'Content-Disposition': `attachment; filename="${params.id}.jwt"`, 'Cache-Control': 'no-cache',
  })
})

/** The button under the passport: from the link, or the token in it, to the page that claims. */
const toClaim = operation({
  id: 'passport_claim_page_v1', method: 'GET', path: '/p/:id/claim', summary: 'From the passport to its claim', tag,
  access: 'public', page: true,
  query: { lang, ...scannedQuery, link: optional(string('The magic link, or its token.', { maxLength: 5000 })) },
  returns: { 302: null },
}).readBy(async ({ params, query: { link = '', lang: wanted }, request }) => {
  const token = tokenOf(link.trim())
  const reader = readerOf(request, wanted)
  if (token === null) return redirect(`${inLanguage(`/p/${params.id}?link=wrong`, reader)}#link`)
  return redirect(inLanguage(`/claim?token=${encodeURIComponent(token)}`, reader))
})

/** A token is three parts in base64url. Source: RFC 7515, section 7.1. */
function tokenOf(given: string): string | null {
  const token = URL.canParse(given) ? new URL(given).searchParams.get('token') ?? '' : given
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length <= 4096 ? token : null
}

export const passportPages: Operation[] = [passportPage, credentialToken, toClaim]
