import type { LabelledValue, PassportPage } from '../../../features/dpp/index.ts'
import { words } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderValueList } from '../passport.values.ts'
import type { PassportReader } from '../passport.proof.ts'
import { renderPerformance } from './claims.views.ts'
import { renderMaterials } from './materials.views.ts'
import { isInGallery } from './gallery.views.ts'
import { formatCountry } from './measures.ts'
import { findMember, findWord, getMemberLabel, getText, listElements } from './members.ts'
import {
  enter,
  renderMark,
  renderPicture,
  renderProductValue,
  renderRest,
  renderRow,
  type ProductPlace,
} from './values.views.ts'
import { findPurpose, purposes, type Purpose } from './purposes.ts'

/** The members of a product that the head of the page shows. */
const headMembers = ['name', 'description']

/** The members that are rows of a section, in their order. */
const originMembers = ['countryOfProduction', 'producedAtFacility', 'productionDate']
const aboutMembers = [
  'idGranularity',
  'modelNumber',
  'batchNumber',
  'itemNumber',
  'gtin',
  'expiryDate',
  'productCategory',
  'id',
  'idScheme',
]

/** The members that have a section of their own. */
const ownSections = [
  'materialProvenance',
  'performanceClaim',
  'dimensions',
  'relatedDocument',
  'relatedParty',
  'packaging',
  'productLabel',
]
const placedMembers = new Set([...headMembers, ...originMembers, ...aboutMembers, ...ownSections])

/**
 * Renders everything that a page tells about a product below its head. Each member of the product, known to UNTP or
 * not, each field of a sheet and all data have a place; what has no section of its own is in the last one.
 */
export function renderSections(view: PassportPage, { language }: PassportReader): Markup {
  const place: ProductPlace = { language, passport: view.passport.id, path: '' }
  const { headings, purposes: purposeHeadings } = words[language].product
  const find = (name: string) => view.product.find((member) => member.name === name)
  const rowsOf = (names: readonly string[]) => names.flatMap((name) => find(name) ?? [])
  const renderRows = (members: readonly LabelledValue[]) =>
    members.length > 0 && html`<dl>${members.map((member) => renderRow(member, place))}</dl>`
  const renderOwn = (name: string, render: (value: LabelledValue, at: ProductPlace) => Markup | string) => {
    const value = find(name)
    return value !== undefined && render(value, enter(place, name))
  }
  const rest = view.product.filter(({ name }) => !placedMembers.has(name))
  const [plain, byPurpose] = divideValues(view)
  return html`${view.product.length === 0 && renderSection(headings.about, renderValues(plain, language))}
${renderSection(headings.materials, renderOwn('materialProvenance', renderMaterials), find('materialProvenance'), place)}
${renderSection(headings.performance, renderOwn('performanceClaim', renderPerformance), find('performanceClaim'), place)}
${purposes.map((purpose) => renderSection(purposeHeadings[purpose], renderPurpose(purpose, find('relatedDocument'), byPurpose, place)))}
${renderSection(headings.origin, renderRows(rowsOf(originMembers)))}
${renderSection(headings.dimensions, renderOwn('dimensions', renderDimensions), find('dimensions'), place)}
${renderSection(headings.people, renderOwn('relatedParty', renderParties), find('relatedParty'), place)}
${renderSection(headings.packaging, renderOwn('packaging', renderPackaging), find('packaging'), place)}
${renderSection(headings.labels, renderOwn('productLabel', renderLabels), find('productLabel'), place)}
${renderSection(headings.about, renderRows(rowsOf(aboutMembers)))}
${view.product.length > 0 && renderSection(headings.more, renderMore(plain, rest, place))}`
}

/** Renders a section; nothing without content. @param value the member that it shows, whose mark stands at its heading */
function renderSection(
  heading: string,
  content: Markup | string | false,
  value?: LabelledValue,
  place?: ProductPlace,
): Markup | false {
  if (content === false || content === '') return false
  return html`<section class="part"><h2>${heading}${value && place && renderMark(value, place.language)}</h2>
<div class="card">${content}</div></section>
`
}

const renderValues = (values: readonly LabelledValue[], language: ProductPlace['language']) =>
  values.length > 0 && renderValueList(values, language)

function renderMore(
  values: readonly LabelledValue[],
  rest: readonly LabelledValue[],
  place: ProductPlace,
): Markup | false {
  if (values.length === 0 && rest.length === 0) return false
  return html`${renderValues(values, place.language)}${rest.length > 0 && html`<dl>${rest.map((member) => renderRow(member, place))}</dl>`}`
}

/** Divides the values beside a product: those that readers look for by their purpose, and all others. */
function divideValues(view: PassportPage): [LabelledValue[], Map<Purpose, LabelledValue[]>] {
  const { product, values } = view
  const byPurpose = new Map<Purpose, LabelledValue[]>()
  // The fields of a sheet stay together, in the order that their brand gave them; its pictures are in the gallery.
  if (product.length === 0) return [values.filter((one) => !isInGallery(view, one)), byPurpose]
  const plain = values.filter((one) => {
    const purpose = findPurpose(`${one.name} ${one.label}`)
    if (purpose === 'other') return true
    byPurpose.set(purpose, [...(byPurpose.get(purpose) ?? []), one])
    return false
  })
  return [plain, byPurpose]
}

/** Renders the documents and the values of a purpose. */
function renderPurpose(
  purpose: Purpose,
  documents: LabelledValue | undefined,
  values: ReadonlyMap<Purpose, readonly LabelledValue[]>,
  place: ProductPlace,
): Markup | false {
  const links = listElements(documents).filter(
    (link) => findPurpose(getText(link, 'linkName') ?? '', getText(link, 'linkType')) === purpose,
  )
  const own = values.get(purpose) ?? []
  // A value that is no list of documents is shown as it is.
  const odd = purpose === 'other' && documents && listElements(documents).length === 0
  if (links.length === 0 && own.length === 0 && !odd) return false
  const at = enter(place, 'relatedDocument')
  return html`${renderValues(own, place.language)}${links.length > 0 && html`<ul class="links">${links.map((link) => html`<li>${renderProductValue(link, enter(at, link.name))}${renderMark(link, place.language)}</li>`)}</ul>`}${odd && renderProductValue(documents, at)}`
}

const renderDimensions = (dimensions: LabelledValue, place: ProductPlace): Markup | string =>
  dimensions.members
    ? html`<dl>${dimensions.members.map((member) => renderRow(member, place))}</dl>`
    : renderProductValue(dimensions, place)

/** Renders who is behind a product, each with a role. */
function renderParties(parties: LabelledValue, place: ProductPlace): Markup | string {
  const list = listElements(parties)
  if (list.length === 0) return renderProductValue(parties, place)
  return html`<dl>${list.map((one) => renderParty(one, enter(place, one.name)))}</dl>`
}

function renderParty(one: LabelledValue, place: ProductPlace): Markup {
  const { language } = place
  const { roles, members } = words[language].product
  const role = getText(one, 'role')
  const party = findMember(one, 'party')
  const address = findMember(party, 'partyAddress')
  const town = getText(address, 'addressLocality')
  const country = formatCountry(
    findMember(address, 'addressCountry') ?? findMember(party, 'registrationCountry'),
    language,
  )
  const website = getText(party, 'organisationWebsite')
  const hasWebsite = website !== null && /^https:/i.test(website)
  const name = getText(party, 'name')
  return html`<div><dt>${role === null ? members['party'] : (findWord(roles, role) ?? role)}${renderMark(one, language)}</dt>
<dd>${hasWebsite ? html`<a href="${website}" rel="noopener nofollow">${name ?? website}</a>` : name}${
    (town ?? country) !== null
    && html`<br><span class="quiet">${[town, country].filter((text) => text !== null).join(', ')}</span>`
  }${party && renderRest(party, enter(place, 'party'), ['name', ...(hasWebsite ? ['organisationWebsite'] : [])])}${renderRest(one, place, ['role', 'party'])}</dd></div>`
}

/** Renders packaging: what it is made of is shown as that of the product is. */
function renderPackaging(packaging: LabelledValue, place: ProductPlace): Markup | string {
  if (!packaging.members) return renderProductValue(packaging, place)
  const parts = packaging.members.map((member) => {
    const at = enter(place, member.name)
    const heading = html`<h3>${getMemberLabel(member.name, place.language)}${renderMark(member, place.language)}</h3>`
    if (member.name === 'materialUsed') return html`${heading}${renderMaterials(member, at)}`
    if (member.name === 'performanceClaim') return renderPerformance(member, at)
    if (member.name === 'packageLabel') return html`${heading}${renderLabels(member, at)}`
    return html`<dl>${renderRow(member, place)}</dl>`
  })
  return html`${parts}`
}

/** Renders labels, such as those of a certification, as a row of pictures. */
function renderLabels(labels: LabelledValue, place: ProductPlace): Markup | string {
  const list = listElements(labels)
  if (list.length === 0) return renderProductValue(labels, place)
  return html`<ul class="labels">${list.map((label) => html`<li>${renderPicture(label, enter(place, label.name))}</li>`)}</ul>`
}
