import type { Link, LinkContext, Publisher, Resolved } from '../features/dpp/index.ts'
import type { Answer } from '../kernel/answer.ts'
import type { Problem } from '../kernel/problem.ts'
import { html, safeAddress, type Markup } from './html.ts'
import { publisherLine, unregisteredBanner, withdrawalBanners } from './notices/notices.views.ts'
import { noticeWords } from './notices/words.ts'
import { publicPage, type Reader } from './reader.ts'
import { words } from './words.ts'

/** What the resolver answers depends on all of these. */
const headers = { Vary: 'Accept, Accept-Language, Host' }

/** Every link of a product, of its batch and of its model. */
export function linksPage(all: readonly LinkContext[], notices: Pick<Resolved, 'unregistered' | 'withdrawals'>, reader: Reader): Answer {
  const [first] = all
  const said = words[reader.language].resolver
  const title = said.linksOf(first?.description ?? said.product)
  return publicPage(reader, { title, status: 200, headers }, html`${unregisteredBanner(notices.unregistered, reader.language)}${withdrawalBanners(notices, reader)}
<h1>${first?.description}</h1>
${all.map(({ anchor, description, links }) => html`<h2>${description}</h2>
<p class="quiet"><code>${anchor}</code></p>
<ul class="card">${distinct(links).map((link) => html`<li><a href="${safeAddress(link.href)}">${link.title}</a> ${wordOf(link)}</li>`)}</ul>`)}`)
}

/** The default link says nothing that its own type does not say too. */
function distinct({ defaultLink: _, ...links }: LinkContext['links']): Link[] {
  return [...new Map(Object.values(links).flat().map((link) => [`${link.href} ${link.type}`, link])).values()]
}

const wordOf = ({ type }: Link): Markup | false => type !== undefined && html`<span class="quiet">${type}</span>`

/** Several products of one number: people know whose they have in hand. */
export function choicesPage(found: readonly Resolved[], all: readonly LinkContext[], reader: Reader): Answer {
  const { which, choose } = words[reader.language].resolver
  return publicPage(reader, { title: which, status: 300, headers }, html`${found[0] && unregisteredBanner(found[0].unregistered, reader.language)}
<h1>${which}</h1>
<p>${choose}</p>
<ul class="card">${found.map(({ applicationName }, at) => {
    const { href = '', title } = all[at]?.links['defaultLink']?.[0] ?? {}
    return html`<li><a href="${safeAddress(href)}">${title}</a> <span class="quiet">${applicationName}</span></li>`
  })}</ul>`)
}

/** Several organizations publish one GTIN, and nobody has decided whose it is: each with what is proven of it. */
export function contestedPage(
  gtin: string, publishers: readonly { publisher: Publisher; contexts: readonly LinkContext[] }[], reader: Reader,
): Answer {
  const { head, told, nothing } = noticeWords[reader.language].contested
  return publicPage(reader, { title: head, status: 300, headers }, html`<h1>${head}</h1>
<p>${told(gtin)}</p>
${publishers.map(({ publisher, contexts }) => html`<section class="card"><h2>${publisherLine(publisher, reader)}</h2>
${contexts.length === 0 ? html`<p>${nothing}</p>` : html`<ul>${contexts.map(({ links, description }) =>
    html`<li><a href="${safeAddress(links['defaultLink']?.[0]?.href ?? '')}">${description}</a></li>`)}</ul>`}
</section>`)}`)
}

/** What is wrong with a link, or that nothing is known of it, for people. */
export function refusalPage({ status, detail, errors, headers: own }: Problem, reader: Reader): Answer {
  const { unknown, wrong, refusals } = words[reader.language].resolver
  const title = status === 404 ? unknown.head : wrong
  const [fault] = errors ?? []
  const told = fault ? refusals[fault.path] : status === 404 ? unknown.told : undefined
  return publicPage(reader, { title, status, headers: { ...own, ...headers } }, html`<h1>${title}</h1>
<p>${told ?? html`<span lang="en">${detail}</span>`}</p>`)
}
