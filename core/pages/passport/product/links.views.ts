import type { LabelledValue, PassportPage } from '../../../features/dpp/index.ts'
import { words } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import type { PassportReader } from '../passport.proof.ts'
import { getMemberLabel, getText, listElements } from './members.ts'
import { isRepairService } from './purposes.ts'

/** Lists the links among values and their members. */
const listLinks = (values: readonly LabelledValue[]): LabelledValue[] =>
  values.flatMap((value) => [...(getText(value, 'linkURL') !== null ? [value] : []), ...listLinks(value.members ?? [])])

/** What programs read of a link. */
const factNames = ['mediaType', 'linkType', 'digestMultibase']

function renderAnchor(link: LabelledValue): Markup {
  const address = getText(link, 'linkURL')
  const name = getText(link, 'linkName') ?? address
  if (address === null || !/^https:/i.test(address))
    return html`${name}${address !== name && html` <code>${address}</code>`}`
  return html`<a href="${address}" rel="noopener nofollow">${name}</a>`
}

/** Finds the address where a product is repaired among its documents; null if none is for that, or not at https. */
export function findRepairAddress(product: readonly LabelledValue[]): string | null {
  const documents = listElements(product.find(({ name }) => name === 'relatedDocument'))
  const isForRepair = (link: LabelledValue) =>
    isRepairService(getText(link, 'linkName') ?? '', getText(link, 'linkType'))
    && /^https:/i.test(getText(link, 'linkURL') ?? '')
  const link = documents.find(isForRepair)
  return link === undefined ? null : getText(link, 'linkURL')
}

/**
 * Renders the documents and pictures of a product for experts: their addresses, and their types and hashes as programs
 * read them. Nothing if it has none.
 */
export function renderFiles({ product }: PassportPage, { language }: PassportReader): Markup | false {
  const links = listLinks(product)
  const renderFact = (link: LabelledValue, name: string) => {
    const fact = getText(link, name)
    return fact !== null && html`${getMemberLabel(name, language)} <code>${fact}</code><br>`
  }
  return (
    links.length > 0
    && html`<h3>${words[language].product.filesHead}</h3>
<dl>${links.map((link) => html`<div><dt>${renderAnchor(link)}</dt><dd>${factNames.map((name) => renderFact(link, name))}</dd></div>`)}</dl>`
  )
}
