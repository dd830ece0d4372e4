import { words } from '../../languages/index.ts'
import type { PassportView } from '../../features/dpp/index.ts'
import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { renderFooter, renderOwner } from '../site/brand.views.ts'
import { html, type Markup } from '../site/html.ts'
import { getProblemStatus } from '../site/layout.ts'
import { renderLooks } from '../site/looks.ts'
import { renderProductPicture } from '../site/pictures.ts'
import { keepLanguage, renderLanguageField, renderPublicPage, type PageReader } from '../site/reader.ts'
import {
  renderCodeForms,
  renderContactForms,
  renderHiddenField,
  renderRefusal,
  type Contact,
  type SignInForms,
} from '../site/sign-in.views.ts'

/** The page of the link that came with a message, and how it is shown. */
export interface LinkPage {
  view: PassportView
  token: string
  reader: PageReader
}

/** Returns the address of the page, without its language. */
export const getLinkAddress = (token: string): string => `/transfer?token=${encodeURIComponent(token)}`

const renderHidden = ({ token, reader }: LinkPage): Markup =>
  html`${renderHiddenField('token', token)}${renderLanguageField(reader)}`

const describeForms = (page: LinkPage): SignInForms => ({
  reader: page.reader,
  codePath: '/transfer/code',
  signInPath: '/transfer/sign-in',
  hiddenFields: renderHidden(page),
  provider: {
    application: page.view.application.id,
    brand: page.view.application.title,
    redirect: keepLanguage(getLinkAddress(page.token), page.reader),
    network: page.view.passport.network,
  },
})

function renderLinkPage({ view, token, reader }: LinkPage, problem: ProblemError | undefined, content: Markup): Answer {
  const phrases = words[reader.language].passingOn.link
  const { application, title, passport } = view
  return renderPublicPage(
    reader,
    {
      title: phrases.title(title),
      here: getLinkAddress(token),
      head: html`<meta name="robots" content="noindex">${renderLooks(application, reader)}`,
      footer: renderFooter(application, reader),
      ...getProblemStatus(problem),
    },
    html`${renderOwner(application, application.title, reader)}
<h1>${title}</h1>
${renderProductPicture(view, '')}
<p>${phrases.intro(application.title)}</p>
${content}
<p class="quiet"><a href="${keepLanguage(`/p/${passport.id}`, reader)}">${words[reader.language].claiming.lookFirst}</a></p>`,
  )
}

/** Renders the first step of the sign-in. A wrong entry stays in its field for correction. */
export const renderLinkSignIn = (
  page: LinkPage,
  methods: readonly string[],
  refused?: { contact: Contact; problem: ProblemError },
): Answer =>
  renderLinkPage(
    page,
    refused?.problem,
    html`<p>${words[page.reader.language].passingOn.link.signIn}</p>
${renderRefusal(refused?.problem, page.reader)}
${renderContactForms(describeForms(page), methods, refused?.contact)}`,
  )

/** Renders the second step of the sign-in: the six digits. */
export const renderLinkCode = (page: LinkPage, contact: Contact, problem?: ProblemError): Answer =>
  renderLinkPage(page, problem, renderCodeForms(describeForms(page), contact, problem))

/** Renders the two answers to an offer. */
export function renderAnswers(page: LinkPage, contact: string, problem?: ProblemError): Answer {
  const { passingOn, claiming } = words[page.reader.language]
  const { link, refusals, refused } = passingOn
  const form = (action: string, button: Markup) =>
    html`<form method="post" action="${action}">${renderHidden(page)}${button}</form>`
  return renderLinkPage(
    page,
    problem,
    html`<p>${claiming.signedInAs} <strong>${contact}</strong>.</p>
<p>${link.text}</p>
${problem && html`<p class="bad" role="alert">${refusals[problem.code] ?? refused}</p>`}
${form('/transfer', html`<button>${link.accept}</button>`)}
${form('/transfer/decline', html`<button class="plain">${link.decline}</button>`)}`,
  )
}

/** Renders what somebody sees who is signed in with another address than the offer names. */
export const renderForSomebodyElse = (page: LinkPage, methods: readonly string[]): Answer =>
  renderLinkPage(
    page,
    undefined,
    html`<p class="bad" role="status">${words[page.reader.language].passingOn.link.other}</p>
${renderContactForms(describeForms(page), methods)}`,
  )

/** Renders what follows an offer that was declined, or a link that does not work. */
export function renderLinkEnd(reader: PageReader, view: PassportView | null, how: 'declined' | 'broken'): Answer {
  const { head, text } = words[reader.language].passingOn.link[how]
  return renderPublicPage(
    reader,
    {
      title: head,
      ...(how === 'broken' && { status: 400 }),
      ...(view && {
        head: html`${renderLooks(view.application, reader)}`,
        footer: renderFooter(view.application, reader),
      }),
    },
    html`${view && renderOwner(view.application, view.application.title, reader)}<h1>${head}</h1>
<p role="status">${text}</p>
${view && html`<p><a href="${keepLanguage(`/p/${view.passport.id}`, reader)}">${words[reader.language].claiming.broken.see}</a></p>`}`,
  )
}
