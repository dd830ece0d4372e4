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
  ['mediaType', 'linkType'].flatMap((name) => getText(link, name) ?? [])

/** Finds the address where a product is repaired among its documents; null if none is for that, or not at https. */
export function findRepairAddress(product: readonly LabelledValue[]): string | null {
  const documents = listElements(product.find(({ name }) => name === 'relatedDocument'))
  const isForRepair = (link: LabelledValue) =>
    findPurpose(getText(link, 'linkName') ?? '', getText(link, 'linkType')) === 'repair'
    && /^https:/i.test(getText(link, 'linkURL') ?? '')
  const link = documents.find(isForRepair)
  return link === undefined ? null : getText(link, 'linkURL')
}

/** Renders the types of the documents of a product as programs name them, for experts; nothing if none says them. */
export function renderDocumentTypes({ product }: PassportPage, { language }: PassportReader): Markup | false {
  const links = listTypedLinks(product)
  return (
    links.length > 0
    && html`<h3>${words[language].product.documentTypes}</h3>
<dl>${links.map((link) => html`<div><dt>${getText(link, 'linkName') ?? getText(link, 'linkURL')}</dt><dd>${listTypes(link).map((type) => html`<code>${type}</code> `)}</dd></div>`)}</dl>`
  )
}
