import type { LabelledValue, PassportPage } from '../../../features/dpp/index.ts'
import { sectionNames, type SectionName } from '../../../features/applications/index.ts'
import { words } from '../../../languages/index.ts'
import { renderText } from '../../site/brand.views.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderBanner } from '../../site/looks.ts'
import { keepLanguage } from '../../site/reader.ts'
import { renderValueList } from '../passport.values.ts'
import type { PassportReader } from '../passport.proof.ts'
import { renderPerformance } from './claims.views.ts'
import { renderMaterials } from './materials.views.ts'
import { isInGallery, isShownInGallery } from './gallery.views.ts'
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
import { findPurpose, type Purpose } from './purposes.ts'

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

/** A section of the page; without content there is none. */
interface Section {
  heading: string
  content: Markup | string | false
  /** Whether all that it shows is certified, so that its heading says so once. */
  isCertified?: boolean
}

/**
 * Renders everything that a page tells about a product below its head, in the order that the brand chose. Each member of
 * the product, known to UNTP or not, each field of a sheet and all data have a place; what has no section of its own is
 * in the last one. A section that the brand does not name comes after those that it does: none is ever left out.
 */
export function renderSections(view: PassportPage, reader: PassportReader): Markup {
  const sections = createSections(view, reader)
  const usual = view.product.length === 0 ? (['about', ...sectionNames] as const) : sectionNames
  const order = new Set([...(view.application.theme.sections ?? []), ...usual])
  return html`${[...order].map((name) => renderSection(sections[name], reader))}`
}

function createSections(view: PassportPage, reader: PassportReader): Record<SectionName, Section> {
  const { language } = reader
  const { application } = view
  // What the gallery shows is not named a second time below it.
  const product = view.product.filter((one) => one.name !== 'productImage' || !isShownInGallery(view, one))
  const place: ProductPlace = { language, passport: view.passport.id, path: '' }
  const phrases = words[language]
  const { headings, purposes: purposeHeadings, aboutBrand } = phrases.product
  const find = (name: string) => product.find((member) => member.name === name)
  const createRows = (heading: string, names: readonly string[]) =>
    createGroup(
      heading,
      names.flatMap((name) => find(name) ?? []),
      (rows) => renderRows(rows, place),
    )
  const createOwn = (
    heading: string,
    name: string,
    render: (value: LabelledValue, at: ProductPlace) => Markup | string,
  ): Section => {
    const value = find(name)
    const content = value !== undefined && render(value, enter(place, name))
    return { heading, content, isCertified: value?.certified === true }
  }
  const rest = product.filter(({ name }) => !placedMembers.has(name))
  const [plain, byPurpose] = divideValues(view)
  const createPurpose = (purpose: Purpose, own: Markup | false = false): Section => {
    const { content, isCertified = false } = renderPurpose(view, purpose, byPurpose, place)
    const all = (own !== false || content !== false) && html`${own}${content}`
    return { heading: purposeHeadings[purpose], content: all, isCertified }
  }
  const ofSheet = view.product.length === 0
  return {
    materials: createOwn(headings.materials, 'materialProvenance', renderMaterials),
    performance: createOwn(headings.performance, 'performanceClaim', renderPerformance),
    care: createPurpose('care', renderText(application.theme, 'care', reader)),
    repair: createPurpose('repair'),
    recycling: createPurpose('recycling'),
    proofs: createPurpose('proofs'),
    documents: createPurpose('other'),
    origin: createRows(headings.origin, originMembers),
    dimensions: createOwn(headings.dimensions, 'dimensions', renderDimensions),
    people: createOwn(headings.people, 'relatedParty', renderParties),
    packaging: createOwn(headings.packaging, 'packaging', renderPackaging),
    labels: createOwn(headings.labels, 'productLabel', renderLabels),
    about: ofSheet
      ? createGroup(headings.about, plain, (values) => renderValues(values, language))
      : createRows(headings.about, aboutMembers),
    more: ofSheet
      ? { heading: headings.more, content: false }
      : createGroup(headings.more, [...plain, ...rest], (values) =>
          renderMore(values.slice(0, plain.length), values.slice(plain.length), place),
        ),
    parents: { heading: phrases.belongsTo, content: renderParents(view, reader) },
    story: { heading: aboutBrand(application.title), content: renderBrandStory(view, reader) },
  }
}

/** Creates a section of values. The marks of certified ones stand at its heading if all of them have one. */
function createGroup(
  heading: string,
  values: readonly LabelledValue[],
  render: (values: readonly LabelledValue[]) => Markup | false,
): Section {
  const isCertified = values.length > 0 && values.every(({ certified }) => certified === true)
  return { heading, content: render(isCertified ? values.map(removeMark) : values), isCertified }
}

const removeMark = ({ certified: _, ...value }: LabelledValue): LabelledValue => value

const renderRows = (members: readonly LabelledValue[], place: ProductPlace): Markup | false =>
  members.length > 0 && html`<dl>${members.map((member) => renderRow(member, place))}</dl>`

function renderSection(
  { heading, content, isCertified = false }: Section,
  { language }: PassportReader,
): Markup | false {
  if (content === false || content === '') return false
  return html`<section class="part"><h2>${heading}${isCertified && renderMark({ certified: true }, language)}</h2>
<div class="card">${content}</div></section>
`
}

function renderParents({ parents }: PassportPage, reader: PassportReader): Markup | false {
  const phrases = words[reader.language]
  return (
    parents.length > 0
    && html`<dl>${parents.map(
      ({ kind, id, title }) =>
        html`<div><dt>${phrases.parents[kind]}</dt><dd><a href="${keepLanguage(`/p/${id}`, reader)}">${title}</a></dd></div>`,
    )}</dl>`
  )
}

/** Renders what the brand tells of itself, with its wide picture. */
function renderBrandStory({ application }: PassportPage, reader: PassportReader): Markup | false {
  const [banner, story] = [renderBanner(application), renderText(application.theme, 'story', reader)]
  return (banner !== false || story !== false) && html`${banner}${story}`
}

const renderValues = (values: readonly LabelledValue[], language: ProductPlace['language']) =>
  values.length > 0 && renderValueList(values, language)

const renderMore = (
  values: readonly LabelledValue[],
  rest: readonly LabelledValue[],
  place: ProductPlace,
): Markup | false =>
  (values.length > 0 || rest.length > 0) && html`${renderValues(values, place.language)}${renderRows(rest, place)}`

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
  view: PassportPage,
  purpose: Purpose,
  values: ReadonlyMap<Purpose, readonly LabelledValue[]>,
  place: ProductPlace,
): Omit<Section, 'heading'> {
  const documents = view.product.find(({ name }) => name === 'relatedDocument')
  // The elements of a list that is certified as a whole have no marks of their own.
  const links = listElements(documents)
    .filter((link) => findPurpose(getText(link, 'linkName') ?? '', getText(link, 'linkType')) === purpose)
    .filter((link) => purpose !== 'other' || !isShownInGallery(view, link))
    .map((link) => (documents?.certified ? { ...link, certified: documents.certified } : link))
  const own = values.get(purpose) ?? []
  // A value that is no list of documents is shown as it is.
  const odd = purpose === 'other' && documents && listElements(documents).length === 0
  if (links.length === 0 && own.length === 0 && !odd) return { content: false }
  const at = enter(place, 'relatedDocument')
  const isCertified = !odd && [...links, ...own].every(({ certified }) => certified === true)
  const [shownOwn, shownLinks] = isCertified ? [own.map(removeMark), links.map(removeMark)] : [own, links]
  const content = html`${renderValues(shownOwn, place.language)}${links.length > 0 && html`<ul class="links">${shownLinks.map((link) => html`<li>${renderProductValue(link, enter(at, link.name))}${renderMark(link, place.language)}</li>`)}</ul>`}${odd && renderProductValue(documents, at)}`
  return { content, isCertified }
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
