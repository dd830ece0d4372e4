import type { LabelledValue, PassportPage } from '../../../features/dpp/index.ts'
import { words } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import type { PassportReader } from '../passport.proof.ts'
import { getText, listElements } from './members.ts'
import { findPurpose } from './purposes.ts'

/** Lists the links among values and their members that say their types. */
const listTypedLinks = (values: readonly LabelledValue[]): LabelledValue[] =>
  values.flatMap((value) => [
    ...(getText(value, 'linkURL') !== null && listTypes(value).length > 0 ? [value] : []),
    ...listTypedLinks(value.members ?? []),
  ])

const listTypes = (link: LabelledValue): string[] =>
  ['mediaType', 'linkType', 'digestMultibase'].flatMap((name) => getText(link, name) ?? [])

function renderAnchor(link: LabelledValue): Markup | string | null {
  const address = getText(link, 'linkURL')
  const name = getText(link, 'linkName') ?? address
  if (address === null || !/^https:/i.test(address)) return name
  return html`<a href="${address}" rel="noopener nofollow">${name}</a>`
}

/** Finds the address where a product is repaired among its documents; null if none is for that, or not at https. */
export function findRepairAddress(product: readonly LabelledValue[]): string | null {
  const documents = listElements(product.find(({ name }) => name === 'relatedDocument'))
  const isForRepair = (link: LabelledValue) =>
    findPurpose(getText(link, 'linkName') ?? '', getText(link, 'linkType')) === 'repair'
    && /^https:/i.test(getText(link, 'linkURL') ?? '')
  const link = documents.find(isForRepair)
  return link === undefined ? null : getText(link, 'linkURL')
}

/**
 * Renders the types of the documents and pictures of a product as programs name them, with the hash of a file where the
 * brand names it, for experts; nothing if none says them.
 */
export function renderDocumentTypes({ product }: PassportPage, { language }: PassportReader): Markup | false {
  const links = listTypedLinks(product)
  return (
    links.length > 0
    && html`<h3>${words[language].product.documentTypes}</h3>
<dl>${links.map((link) => html`<div><dt>${renderAnchor(link)}</dt><dd>${listTypes(link).map((type) => html`<code>${type}</code> `)}</dd></div>`)}</dl>`
  )
}
