import { answerRedirect, type Answer } from '../../kernel/answer.ts'
import { getCallerPermissions, type Caller, type MemberCaller } from '../../kernel/caller.ts'
import { hasPermission, type Permission, type Role } from '../../kernel/permission.ts'
import { createProblem } from '../../kernel/problem.ts'
import type { Context } from '../../kernel/work.ts'
import { readProvenDomain } from '../../features/applications/index.ts'
import { findDidDocumentWarning } from '../../features/certification/index.ts'
import { listMissingDocuments, readAudience, readMemberships, readSessionUser } from '../../features/identity/index.ts'
import { consoleLanguages, type ConsoleLanguage } from '../../kernel/text/languages.ts'
import { words as publicWords } from '../../languages/index.ts'
import { html, type Markup } from '../site/html.ts'
import { renderPage, type PageOptions } from '../site/layout.ts'
import { consoleWords, type ConsoleWords } from './words/words.ts'
import { renderDocumentNotice } from './frame/document.views.ts'

/** A member who acts for an organization. */
export type ActiveMember = MemberCaller & { organization: string; role: Role }

export const htmlResponse = { 200: { type: 'text/html', description: 'The page.' } } as const

/**
 * The options that all pages for members have in common. They are public, so that callers without a credential are
 * redirected to the sign-in. Forms are accepted from our own pages only: the pipeline compares the Origin of each form
 * with ours, with a session or without (`authorizeOrigin` of http/pipeline/authorize.ts), so forms carry no token of
 * their own.
 * Source: OWASP, Cross-Site Request Forgery Prevention, "Using Standard Headers to Verify Origin".
 */
export const memberPageOptions = { access: 'public', transport: { page: 'member' }, returns: htmlResponse } as const

/** The page where members sign in. */
export const signInPath = '/console/sign-in'

const consolePathPattern = /^\/console(\/[\w-]+)*(\?[\w.~%&=+*:,-]*)?$/
/** Whether a text is the path of a page of the console, with or without a query. */
export const isConsolePath = (path: string): boolean => consolePathPattern.test(path)

/**
 * Returns the path to go to after the sign-in: the wanted one if it is a page of the console, otherwise the first page.
 */
export const getNextPath = (wanted: string | undefined): string =>
  wanted !== undefined && isConsolePath(wanted) ? wanted : '/console'

/** Adds the page to go to afterwards to the address of a page. */
export const addNext = (path: string, wanted: string | undefined): string =>
  `${path}?next=${encodeURIComponent(getNextPath(wanted))}`

/** Returns the member, or a redirect to what is missing: the sign-in, or the choice of an organization. */
export function getMemberOrRedirect(caller: Caller, wanted: string): ActiveMember | Answer {
  if (caller.kind !== 'member') return answerRedirect(addNext(signInPath, wanted), undefined, 303)
  const { organization, role } = caller
  if (organization === null || role === null)
    return answerRedirect(addNext('/console/organizations', wanted), undefined, 303)
  return { ...caller, organization, role }
}

export const may = (caller: Caller, permission: Permission): boolean =>
  hasPermission(getCallerPermissions(caller), permission)

/** @throws AUTH_INSUFFICIENT_PERMISSIONS if the member's role lacks the permission */
export function assertPermission(caller: Caller, permission: Permission): void {
  if (may(caller, permission)) return
  throw createProblem(
    'AUTH_INSUFFICIENT_PERMISSIONS',
    'Your role does not allow this. Ask an owner or an administrator.',
  )
}

type AreaName = keyof ConsoleWords['areas']
/** An area of the console: the path of its first page, its name, and the permission that shows it. */
type ConsoleArea = readonly [path: string, name: AreaName, permission: Permission]

/** The areas of the console, in the groups of the navigation. */
const areaGroups: readonly (readonly [group: keyof ConsoleWords['groups'], areas: readonly ConsoleArea[]])[] = [
  [
    'products',
    [
      ['/console/passports', 'passports', 'dpp:read'],
      ['/console/reports', 'reports', 'dpp:read'],
      ['/console/claim-requests', 'claimRequests', 'dpp:read'],
      ['/console/sheets', 'sheets', 'dpp:read'],
      ['/console/imports', 'imports', 'dpp:read'],
      ['/console/certification', 'certification', 'dpp:read'],
    ],
  ],
  [
    'customers',
    [
      ['/console/accounts', 'accounts', 'loyalty:read'],
      ['/console/tiers', 'tiers', 'loyalty:read'],
      ['/console/assignments', 'assignments', 'loyalty:read'],
      ['/console/points-of-sale', 'pointsOfSale', 'loyalty:read'],
      ['/console/orders', 'orders', 'loyalty:read'],
      ['/console/campaigns', 'campaigns', 'loyalty:read'],
    ],
  ],
  [
    'company',
    [
      ['/console/applications', 'applications', 'application:read'],
      ['/console/branding', 'branding', 'application:read'],
      ['/console/members', 'members', 'member:read'],
      ['/console/keys', 'keys', 'apiKey:read'],
      ['/console/audit', 'audit', 'organization:update'],
      ['/console/organization', 'organization', 'settings:read'],
      ['/console/assistant', 'assistant', 'organization:read'],
      ['/console/demo', 'demo', 'application:create'],
      ['/console/developers', 'developers', 'settings:read'],
    ],
  ],
]

/** Renders the areas that the member may see. A group without any is absent. */
const renderNavigation = (member: MemberCaller, { areas, groups }: ConsoleWords, here: string): Markup =>
  html`<nav aria-label="Console"><ul><li><a href="/console"${here === '/console' && html` aria-current="page"`}>${areas.home}</a></li></ul>${areaGroups.map(
    ([group, all]) => {
      const shown = all.filter(([, , permission]) => may(member, permission))
      return (
        shown.length > 0
        && html`<h2 id="group-${group}">${groups[group]}</h2><ul aria-labelledby="group-${group}">${shown.map(
          ([path, name]) =>
            html`<li><a href="${path}"${(here === path || here.startsWith(`${path}/`)) && html` aria-current="page"`}>${areas[name]}</a></li>`,
        )}</ul>`
      )
    },
  )}</nav>`

/** The page that finds passports and accounts. */
export const searchPath = '/console/search'

/** Renders the field that finds passports and accounts from every page. */
const renderSearchField = ({ find }: ConsoleWords): Markup =>
  html`<form class="find" method="get" action="${searchPath}" role="search" aria-label="${find.name}"><label class="away" for="find">${find.label}</label>
<input id="find" name="q" maxlength="200" autocomplete="off" placeholder="${find.label}"><button class="small plain">${find.button}</button></form>`

/** Renders buttons for the other languages, on pages that have them. @param here the page to come back to */
export const renderLanguageForm = (language: ConsoleLanguage, words: ConsoleWords, here: string): Markup =>
  html`<form method="post" action="/console/language" aria-label="${words.language}"><input type="hidden" name="next" value="${here}">
${consoleLanguages
  .filter((each) => each !== language)
  .map(
    (each) =>
      html`<button class="small plain" name="language" value="${each}" lang="${each}">${publicWords[each].name}</button>`,
  )}</form>`

/** The options of a page of the console. */
export interface ConsolePageOptions extends PageOptions {
  lang: ConsoleLanguage
  /** Path of the page. */
  here?: string
  /** Whether the page is shown before the person has accepted the documents of the organization. */
  needsNoAcceptance?: boolean
}

/** The page where documents are accepted. */
export const legalPath = '/console/legal'

/**
 * Returns the way to the documents that the member of a company has not accepted, or null if there are none. A refused
 * form is shown first, so that nothing that was written is lost.
 */
async function redirectToDocuments(
  { db }: Context,
  member: MemberCaller,
  { needsNoAcceptance, status = 200, here = '' }: ConsolePageOptions,
): Promise<Answer | null> {
  if (needsNoAcceptance || status >= 400) return null
  const missing = await listMissingDocuments(db, member.user, await readAudience(db, member))
  if (missing.length === 0) return null
  return answerRedirect(addNext(legalPath, here), undefined, 303)
}

/**
 * Renders a page of the console, or leads to documents that have to be accepted first. Above the content it shows the member, the organization, links to other pages, and
 * urgent notices for the organization.
 */
export async function renderConsolePage(
  context: Context,
  member: MemberCaller,
  options: ConsolePageOptions,
  content: Markup,
): Promise<Answer> {
  const { db } = context
  const [documents, organizations, user] = await Promise.all([
    redirectToDocuments(context, member, options),
    readMemberships(db, member.user),
    readSessionUser(db, member.user),
  ])
  if (documents) return documents
  const active = organizations.find(({ id }) => id === member.organization)
  const [domain, fault] = active
    ? await Promise.all([readProvenDomain(db, active.id), findDidDocumentWarning(db, context, active.id)])
    : []
  const { here = '', needsNoAcceptance: _, ...pageOptions } = options
  const words = consoleWords[options.lang]
  const others = organizations.length > 1 && html` (<a href="/console/organizations">${words.change}</a>)`
  const top = html`<header class="top"><div>
<a class="brand" href="/console">Tessera</a>
${active && html`<p class="quiet"><strong>${active.name}</strong> (${domain ?? words.notConfirmed}), ${words.roles[active.role]}${others}</p>`}
${active && renderSearchField(words)}
<button class="small plain menu" type="button" popovertarget="menu">${words.menu}</button>
</div></header>
<div class="side" id="menu" popover>${active && renderNavigation(member, words, here)}
<section aria-label="${words.yourAccount}"><p class="quiet">${user.email}<br><a href="/console/sessions">${words.sessions}</a></p>
${renderLanguageForm(options.lang, words, here)}
<form method="post" action="/console/sign-out"><button class="small plain">${words.signOut}</button></form></section></div>`
  return renderPage(
    { wide: true, skip: words.skip, ...pageOptions, isFramed: true, top },
    html`${renderDocumentNotice(fault, options.lang)}${content}`,
  )
}
