import type { Link, LinkContext, Resolved } from '../features/dpp/index.ts'
import type { Answer } from '../kernel/answer.ts'
import type { Problem } from '../kernel/problem.ts'
import { html, safeAddress, type Markup } from './html.ts'
import { page } from './layout.ts'

/** Every link of a product, of its batch and of its model. */
export function linksPage(all: readonly LinkContext[]): Answer {
  const [first] = all
  return page({ title: `${first?.description ?? 'Product'}: links`, status: 200 }, html`<h1>${first?.description}</h1>
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
export function choicesPage(found: readonly Resolved[], all: readonly LinkContext[]): Answer {
  return page({ title: 'Which one is it?', status: 300 }, html`<h1>Which one is it?</h1>
<p>Several products have this number. Choose the one you have in hand.</p>
<ul class="card">${found.map(({ applicationName }, at) => {
    const { href = '', title } = all[at]?.links['defaultLink']?.[0] ?? {}
    return html`<li><a href="${safeAddress(href)}">${title}</a> <span class="quiet">${applicationName}</span></li>`
  })}</ul>`)
}

/** What is wrong with a link, or that nothing is known of it, for people. */
export function refusalPage({ status, detail, headers }: Problem): Answer {
  const title = status === 404 ? 'Nothing is known of this product' : 'This is no address of a product'
  return page({ title, status, headers }, html`<h1>${title}</h1>
<p>${detail}</p>`)
}
