import type { Link, LinkContext, Publisher, ResolvedPassport } from '../../features/dpp/index.ts'
import type { Answer } from '../../kernel/answer.ts'
import type { ProblemError } from '../../kernel/problem.ts'
import { html, sanitizeAddress, type Markup } from '../site/html.ts'
import { renderPublisherLine, renderUnregisteredBanner, renderWithdrawalBanners } from '../notices/notices.views.ts'
import { renderPublicPage, type PageReader } from '../site/reader.ts'
import { words } from '../../languages/index.ts'

/** The headers of all answers of the resolver, which depend on all of these request headers. */
const headers = { Vary: 'Accept, Accept-Language, Host' }

/** Renders every link of a product, of its batch and of its model. */
export function renderLinksPage(
  all: readonly LinkContext[],
  notices: Pick<ResolvedPassport, 'unregistered' | 'withdrawals'>,
  reader: PageReader,
): Answer {
  const [first] = all
  const phrases = words[reader.language].resolver
  const title = phrases.linksOf(first?.description ?? phrases.product)
  return renderPublicPage(
    reader,
    { title, status: 200, headers },
    html`${renderUnregisteredBanner(notices.unregistered, reader.language)}${renderWithdrawalBanners(notices, reader)}
<h1>${first?.description}</h1>
${all.map(
  ({ anchor, description, links }) =>
    html`<h2>${description}</h2>
<p class="quiet"><code>${anchor}</code></p>
<ul class="card">${removeDuplicates(links).map((link) => html`<li><a href="${sanitizeAddress(link.href)}">${link.title}</a> ${renderLinkType(link)}</li>`)}</ul>`,
)}`,
  )
}

/** Returns the links without the default link, which is also among the links of its own type. */
function removeDuplicates({ defaultLink: _, ...links }: LinkContext['links']): Link[] {
  return [
    ...new Map(
      Object.values(links)
        .flat()
        .map((link) => [`${link.href} ${link.type}`, link]),
    ).values(),
  ]
}

const renderLinkType = ({ type }: Link): Markup | false =>
  type !== undefined && html`<span class="quiet">${type}</span>`

/** Renders the choice between several products with the same numbers: people know which brand's product they hold. */
export function renderChoicesPage(
  passports: readonly ResolvedPassport[],
  all: readonly LinkContext[],
  reader: PageReader,
): Answer {
  const { which, choose } = words[reader.language].resolver
  return renderPublicPage(
    reader,
    { title: which, status: 300, headers },
    html`${passports[0] && renderUnregisteredBanner(passports[0].unregistered, reader.language)}
<h1>${which}</h1>
<p>${choose}</p>
<ul class="card">${passports.map(({ applicationName }, at) => {
      const { href = '', title } = all[at]?.links['defaultLink']?.[0] ?? {}
      return html`<li><a href="${sanitizeAddress(href)}">${title}</a> <span class="quiet">${applicationName}</span></li>`
    })}</ul>`,
  )
}

/**
 * Renders the organizations that publish one GTIN while nobody has decided who owns it, each with what is proven about
 * it.
 */
export function renderContestedPage(
  gtin: string,
  publishers: readonly { publisher: Publisher; contexts: readonly LinkContext[] }[],
  reader: PageReader,
): Answer {
  const { head, text, nothing } = words[reader.language].notices.contested
  return renderPublicPage(
    reader,
    { title: head, status: 300, headers },
    html`<h1>${head}</h1>
<p>${text(gtin)}</p>
${publishers.map(
  ({ publisher, contexts }) =>
    html`<section class="card"><h2>${renderPublisherLine(publisher, reader)}</h2>
${
  contexts.length === 0
    ? html`<p>${nothing}</p>`
    : html`<ul>${contexts.map(
        ({ links, description }) =>
          html`<li><a href="${sanitizeAddress(links['defaultLink']?.[0]?.href ?? '')}">${description}</a></li>`,
      )}</ul>`
}
</section>`,
)}`,
  )
}

/** Renders for people what is wrong with a link, or that nothing is known about it. */
export function renderRefusalPage({ status, detail, errors, headers: own }: ProblemError, reader: PageReader): Answer {
  const { unknown, wrong, refusals } = words[reader.language].resolver
  const title = status === 404 ? unknown.head : wrong
  const [fault] = errors ?? []
  const sentence = fault ? findRefusal(fault.path, reader) : status === 404 ? unknown.text : null
  return renderPublicPage(
    reader,
    { title, status, headers: { ...own, ...headers } },
    html`<h1>${title}</h1>
${(sentence !== null || refusals === null) && html`<p>${sentence ?? detail}</p>`}`,
  )
}

/** Finds what is wrong with a part of a link, in the reader's language; null if its own words are English. */
function findRefusal(part: string, { language }: PageReader): string | null {
  const refusals: Readonly<Record<string, string>> = words[language].resolver.refusals ?? {}
  return refusals[part] ?? null
}
