import { answerRedirect, answerText, type Answer } from '../../kernel/answer.ts'
import type { EndUserCaller } from '../../kernel/caller.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem, ProblemError } from '../../kernel/problem.ts'
import { object, optional, string } from '../../kernel/schema.ts'
import type { Work } from '../../kernel/work.ts'
import {
  findApplicationBySlug,
  listEnabledSignInMethods,
  readAnyApplication,
} from '../../features/applications/index.ts'
import { listOwnedPassports, listOwnOffers } from '../../features/dpp/index.ts'
import { createSessionCookie, sendBuyerCode, signInBuyer, signOut } from '../../features/identity/index.ts'
import {
  findNextTier,
  listOwnWallets,
  listPersonAccounts,
  readPointDates,
  readStatement,
} from '../../features/loyalty/index.ts'
import { dressReader } from '../site/brand.views.ts'
import { getBuyer, openPage } from './page.ts'
import { createLooks } from '../site/looks.ts'
import { detectReader, keepLanguage, languageParameter } from '../site/reader.ts'
import { codeParameter, contactParameters, parseCode, parseContact } from '../site/sign-in.views.ts'
import {
  getPageAddress,
  renderMe,
  renderSignIn,
  renderSignInCode,
  renderUnnamed,
  type MePage,
  type OwnAccount,
} from './me.views.ts'

const tag = 'Pages'
const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const
const transport = { page: true } as const

/** The number of entries of an account, and of passports, that the page shows. */
const maxShownEntries = 10
const maxShownPassports = 50
const maxShownOffers = 20

const slugText = (description: string) => string(description, { minLength: 1, maxLength: 100 })
const slugParameter = optional(slugText('Slug of the application; without it, the one of the session.'))
const formMembers = { application: slugText('Slug of the application.'), lang: languageParameter }

/** What a buyer has at the application where they are signed in; a sign-in for everybody else. */
const meOperation = declareOperation({
  id: 'me_page_v1',
  method: 'GET',
  path: '/me',
  access: 'public',
  query: {
    application: slugParameter,
    lang: languageParameter,
    sent: optional(string('`yes` after a passport was offered to somebody.', { maxLength: 20 })),
  },
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'What a buyer has' },
}).withReadHandler(async ({ caller, query, request, work }) => {
  const { application: slug, lang } = query
  const own = caller.kind === 'endUser' ? await readAnyApplication(work.trx, caller.application) : null
  if (slug === undefined && own === null) return renderUnnamed(detectReader(request, lang))
  const page =
    slug === undefined && own
      ? { application: own, reader: await dressReader(work.context, detectReader(request, lang), own) }
      : await openPage(work.context, { ...query, application: slug ?? '' }, request)
  const buyer = getBuyer(caller, page.application)
  if (buyer) return showBuyer(work, page, buyer, query.sent === 'yes')
  return renderSignIn(page, await listEnabledSignInMethods(work.trx, page.application.organization))
})

async function showBuyer(work: Work, page: MePage, buyer: EndUserCaller, isOffered: boolean): Promise<Answer> {
  const accounts = await listPersonAccounts(work, buyer)
  const ids = accounts.map(({ id }) => id)
  // One more than is shown tells whether there are more.
  const passports = await listOwnedPassports(
    work.trx,
    { organization: page.application.organization, accounts: ids },
    maxShownPassports + 1,
  )
  const details = await Promise.all(ids.map((account) => readDetails(work, page, account)))
  return renderMe(page, {
    contact: buyer.email ?? buyer.phoneNumber,
    accounts: accounts.flatMap((account, at) => {
      const own = details[at]
      return own ? [{ account, ...own }] : []
    }),
    passports: passports.slice(0, maxShownPassports),
    hasMorePassports: passports.length > maxShownPassports,
    offers: await listOwnOffers(work.trx, buyer, maxShownOffers),
    isOffered,
    wallets: await listOwnWallets(work.trx, work.context, buyer),
  })
}

/** Reads what is shown of an account besides its figures. */
async function readDetails(
  { trx }: Work,
  { application }: MePage,
  account: string,
): Promise<Omit<OwnAccount, 'account'>> {
  const [statement, dates, nextTier] = await Promise.all([
    readStatement(trx, account, { since: new Date(0), limit: maxShownEntries }),
    readPointDates(trx, account),
    findNextTier(trx, { account, application: application.id }),
  ])
  return { statement, dates, nextTier }
}

/** The first step of the sign-in: a code is sent to the buyer. */
const sendCodeOperation = declareOperation({
  id: 'me_code_page_v1',
  method: 'POST',
  path: '/me/code',
  access: 'public',
  body: object({ ...formMembers, ...contactParameters }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Send the buyer a code' },
}).withOutboundHandler(async ({ body, context, request }) => {
  const page = await openPage(context, body, request)
  const { id, organization } = page.application
  const contact = parseContact(body)
  try {
    await sendBuyerCode(
      context,
      { application: id, ...contact } as Parameters<typeof sendBuyerCode>[1],
      request,
      page.reader.language,
    )
    return renderSignInCode(page, contact)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderSignIn(page, await listEnabledSignInMethods(context.db, organization), { contact, problem: error })
  }
})

/** The second step: the code opens a session. */
const signInOperation = declareOperation({
  id: 'me_sign_in_page_v1',
  method: 'POST',
  path: '/me/sign-in',
  access: 'public',
  body: object({ ...formMembers, ...contactParameters, otp: codeParameter }),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Sign the buyer in' },
}).withOutboundHandler(async ({ body, context, request }) => {
  const page = await openPage(context, body, request)
  const contact = parseContact(body)
  try {
    const signIn = { application: page.application.id, ...contact, otp: parseCode(body.otp) }
    const { session } = await signInBuyer(context, signIn as Parameters<typeof signInBuyer>[1], {
      network: undefined,
      request,
    })
    const cookie = createSessionCookie(context, 'endUser', session.token, session.expiresAt)
    return answerRedirect(keepLanguage(getPageAddress(page), page.reader), { 'Set-Cookie': cookie }, 303)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return renderSignInCode(page, contact, error)
  }
})

const signOutOperation = declareOperation({
  id: 'me_sign_out_page_v1',
  method: 'POST',
  path: '/me/sign-out',
  access: 'public',
  body: object(formMembers),
  returns: htmlResponse,
  transport,
  document: { tag, summary: 'Sign the buyer out' },
}).withOutboundHandler(async ({ body, caller, context, request }) => {
  const page = await openPage(context, body, request)
  const cookie = await signOut(context, caller, request)
  return answerRedirect(keepLanguage(getPageAddress(page), page.reader), { 'Set-Cookie': cookie }, 303)
})

/** The looks of an application, for its pages. */
const looksOperation = declareOperation({
  id: 'me_looks_v1',
  method: 'GET',
  path: '/me/looks.css',
  access: 'public',
  query: { application: slugText('Slug of the application.') },
  returns: { 200: { type: 'text/css', description: 'The style sheet.' } },
  transport: { ...transport, hasEtag: true },
  document: { tag, summary: 'Looks of an application' },
}).withReadHandler(async ({ query, work }) => {
  const application = await findApplicationBySlug(work.trx, query.application)
  if (!application) throw createNotFoundProblem()
  return answerText(createLooks(application.theme), 'text/css; charset=utf-8', {
    'Cache-Control': 'public, max-age=60',
  })
})

/** The pages where buyers see what they have. */
export const mePages: Operation[] = [meOperation, sendCodeOperation, signInOperation, signOutOperation, looksOperation]
