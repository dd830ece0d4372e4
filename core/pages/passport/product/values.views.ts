import { decodePicture, type LabelledValue } from '../../../features/dpp/index.ts'
import { words, type Language } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { renderValue } from '../passport.values.ts'
import { describeFile, describeLinkType } from './purposes.ts'
import { formatCountry, formatMeasure, formatShare } from './measures.ts'
import { findMember, findWord, getMemberLabel, getText } from './members.ts'

/** Where a value stands, and how it is shown. */
export interface ProductPlace {
  language: Language
  passport: string
  /** The members that lead to the value from the product, as `productLabel.0`. */
  path: string
}

/** Returns the place of a member of the value at a place. */
export const enter = (place: ProductPlace, name: string): ProductPlace => ({
  ...place,
  path: place.path === '' ? name : `${place.path}.${name}`,
})

/** Renders the mark of a certified value. */
export const renderMark = ({ certified }: Pick<LabelledValue, 'certified'>, language: Language): Markup | false =>
  certified === true && html` <span class="mark">✓ ${words[language].mark}</span>`

/** Renders a member of an object as a term and what it stands for. @param place the place of the object */
export const renderRow = (one: LabelledValue, place: ProductPlace): Markup =>
  html`<div><dt>${getMemberLabel(one.name, place.language)}${renderMark(one, place.language)}</dt><dd>${renderProductValue(one, enter(place, one.name))}</dd></div>`

/** A part of a value, and those of its members that are shown already. */
export interface ValuePart {
  one: LabelledValue
  place: ProductPlace
  shown: readonly string[]
}

/** Renders the members of an object that its summary does not tell, folded. */
export const renderRest = (one: LabelledValue, place: ProductPlace, shown: readonly string[]): Markup | false =>
  foldRows(renderRestRows({ one, place, shown }), place)

/** Renders what the summaries of several parts of a value do not tell, folded as one; each part but the first is named. */
export function renderRests([first, ...others]: readonly [ValuePart, ...ValuePart[]]): Markup | false {
  const rows = others.flatMap((part) => {
    const rest = renderRestRows(part)
    return rest.length === 0
      ? []
      : [html`<div><dt>${getMemberLabel(part.one.name, part.place.language)}</dt><dd><dl>${rest}</dl></dd></div>`]
  })
  return foldRows([...renderRestRows(first), ...rows], first.place)
}

const renderRestRows = ({ one, place, shown }: ValuePart): Markup[] =>
  (one.members ?? [])
    .filter((member) => !shown.includes(member.name) && !isEmptyList(member))
    .map((member) => renderRow(member, place))

/** Whether a value is a list without elements: UNTP asks for some lists also where a brand has nothing to put there. */
export const isEmptyList = ({ value }: LabelledValue): boolean => Array.isArray(value) && value.length === 0

const foldRows = (rows: readonly Markup[], { language }: ProductPlace): Markup | false =>
  rows.length > 0
  && html`<details class="more"><summary>${words[language].product.details}</summary><dl>${rows}</dl></details>`

/** Renders a value of a product, whatever it is. What has a form of its own in UNTP is told in a line. */
export function renderProductValue(one: LabelledValue, place: ProductPlace): Markup | string {
  const { members, value, name } = one
  if (!members) return renderWord(name, value, place.language) ?? renderValue(one, place.language)
  if (!Array.isArray(value)) return renderObject(one, place)
  if (members.length === 0) return '–'
  if (members.length === 1 && members[0]) return renderProductValue(members[0], enter(place, '0'))
  return html`<ul class="plain">${members.map((item) => html`<li>${renderProductValue(item, enter(place, item.name))}</li>`)}</ul>`
}

/** Renders a value that UNTP takes from a list of words, or that is a share; null for any other. */
function renderWord(name: string, value: unknown, language: Language): string | null {
  const { roles, granularities, units } = words[language].product
  if (typeof value === 'number')
    return name.endsWith('MassFraction') || name === 'massFraction' ? formatShare(value, language) : null
  if (typeof value !== 'string') return null
  const list = name === 'role' ? roles : name === 'idGranularity' ? granularities : name === 'unit' ? units : {}
  return findWord(list, value) ?? null
}

function renderObject(one: LabelledValue, place: ProductPlace): Markup | string {
  const { language } = place
  const has = (name: string) => findMember(one, name) !== undefined
  if (has('linkURL')) return renderLink(one, place)
  if (has('imageData')) return renderPicture(one, place)
  const measure = formatMeasure(one, language)
  if (measure !== null)
    return html`${measure}${renderRest(one, place, ['value', 'unit', 'upperTolerance', 'lowerTolerance'])}`
  const country = has('countryCode') ? formatCountry(one, language) : null
  if (country !== null) return html`${country}${renderRest(one, place, ['countryCode', 'countryName'])}`
  if (has('code') && has('name')) return renderClassification(one, place)
  if (has('name')) return renderNamed(one, place)
  const rows = one.members ?? []
  return rows.length === 0 ? '–' : html`<dl>${rows.map((member) => renderRow(member, place))}</dl>`
}

/** Renders what has a name, and perhaps an address as its identifier. */
export function renderNamed(one: LabelledValue, place: ProductPlace): Markup {
  const [name, id] = [getText(one, 'name'), getText(one, 'id')]
  const title = id !== null && /^https:/i.test(id) ? renderAnchor(id, name ?? id) : name
  return html`${title}${renderRest(one, place, ['name', ...(title === name ? [] : ['id'])])}`
}

function renderClassification(one: LabelledValue, place: ProductPlace): Markup {
  const scheme = getText(one, 'schemeName')
  const code = [scheme, getText(one, 'code')].filter((text) => text !== null).join(' ')
  return html`${getText(one, 'name')} <span class="quiet">${code}</span>${renderRest(one, place, ['name', 'code', 'schemeName'])}`
}

const renderAnchor = (address: string, text: string): Markup =>
  html`<a href="${address}" rel="noopener nofollow">${text}</a>`

/** Renders a link with what kind of file it leads to, in words; an address that is not https is shown and not linked. */
export function renderLink(one: LabelledValue, place: ProductPlace): Markup {
  const address = getText(one, 'linkURL') ?? ''
  const name = getText(one, 'linkName') ?? (URL.canParse(address) ? new URL(address).hostname : address)
  const kinds = [
    describeLinkType(getText(one, 'linkType'), place.language),
    describeFile(getText(one, 'mediaType'), place.language),
  ].filter((kind) => kind !== null)
  const link = /^https:/i.test(address) ? renderAnchor(address, name) : html`${name} <code>${address}</code>`
  return html`${link}${kinds.length > 0 && html` <span class="quiet">${kinds.join(', ')}</span>`}${renderRest(one, place, ['linkURL', 'linkName', 'mediaType', 'linkType'])}`
}

/** Renders a picture that stands in the product. One of a kind that pages do not show is told by its name. */
export function renderPicture(one: LabelledValue, place: ProductPlace): Markup {
  const name = getText(one, 'name') ?? getText(one, 'description') ?? ''
  const isShown = decodePicture(findMember(one, 'imageData')?.value) !== null
  const picture =
    isShown && html`<img class="label" loading="lazy" src="/p/${place.passport}/picture?of=${place.path}" alt=""> `
  return html`${picture}${name}${renderRest(one, place, ['imageData', 'mediaType', name === getText(one, 'name') ? 'name' : 'description'])}`
}
