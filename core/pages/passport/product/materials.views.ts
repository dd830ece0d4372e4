import type { LabelledValue } from '../../../features/dpp/index.ts'
import { words } from '../../../languages/index.ts'
import { html, type Markup } from '../../site/html.ts'
import { formatCountry, formatMeasure, formatShare } from './measures.ts'
import { findMember, getNumber, getText, listElements } from './members.ts'
import { enter, renderMark, renderProductValue, renderRest, type ProductPlace } from './values.views.ts'

/** The number of colours of a picture of shares; further shares begin again with the first. */
const colours = 6

/** Renders materials: a picture of their shares where they tell them, and below it each one. */
export function renderMaterials(materials: LabelledValue, place: ProductPlace): Markup | string {
  const list = listElements(materials)
  if (list.length === 0) return renderProductValue(materials, place)
  return html`${renderShares(list, place)}
<ul class="materials">${list.map((material, at) => renderMaterial(material, enter(place, material.name), at))}</ul>`
}

/** Renders a bar of shares; what no material has stays empty. */
function renderShares(materials: readonly LabelledValue[], { language }: ProductPlace): Markup | false {
  const shares = materials.map((material) => Math.max(0, getNumber(material, 'massFraction') ?? 0))
  const sum = shares.reduce((total, share) => total + share, 0)
  if (sum === 0) return false
  const whole = Math.max(1, sum)
  const text = materials
    .map((material, at) => `${getText(material, 'name') ?? ''} ${formatShare(shares[at] ?? 0, language)}`)
    .join(', ')
  const ends = shares.map((_, at) => shares.slice(0, at).reduce((total, share) => total + share, 0))
  const round = (share: number) => Math.round((share / whole) * 10_000) / 100
  return html`<svg class="shares" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="${words[language].product.shares(text)}">
<rect class="track" width="100" height="4"/>${shares.map(
    (share, at) =>
      html`<rect class="share-${at % colours}" x="${round(ends[at] ?? 0)}" width="${round(share)}" height="4"/>`,
  )}</svg>`
}

function renderMaterial(material: LabelledValue, place: ProductPlace, at: number): Markup {
  const { language } = place
  const phrases = words[language].product
  const [share, recycled] = [getNumber(material, 'massFraction'), getNumber(material, 'recycledMassFraction')]
  const country = formatCountry(findMember(material, 'originCountry'), language)
  const mass = formatMeasure(findMember(material, 'mass'), language)
  const kind = getText(findMember(material, 'materialType'), 'name')
  const hazardous = findMember(material, 'hazardous')?.value
  const facts = [
    recycled !== null && phrases.recycled(formatShare(recycled, language)),
    country !== null && phrases.from(country),
    mass,
    kind !== getText(material, 'name') && kind,
    hazardous === false && phrases.notHazardous,
  ].filter((fact) => typeof fact === 'string')
  const [symbol, safety] = [findMember(material, 'symbol'), findMember(material, 'materialSafetyInformation')]
  const shown = [
    'name',
    ...(share === null ? [] : ['massFraction']),
    ...(recycled === null ? [] : ['recycledMassFraction']),
    ...(mass === null ? [] : ['mass']),
    ...(typeof hazardous === 'boolean' ? ['hazardous'] : []),
    'symbol',
    'materialSafetyInformation',
    ...listFullyShown(material, ['originCountry'], ['countryCode', 'countryName']),
    ...listFullyShown(material, ['materialType'], ['name']),
  ]
  return html`<li><p class="row"><span><span class="swatch share-${at % colours}" aria-hidden="true"></span>${getText(material, 'name')}${renderMark(material, language)}</span>${share !== null && html`<strong>${formatShare(share, language)}</strong>`}</p>
${hazardous === true && html`<p class="bad">⚠ ${phrases.hazardous}</p>`}
${facts.length > 0 && html`<p class="quiet">${facts.join(' · ')}</p>`}
${symbol && html`<p>${renderProductValue(symbol, enter(place, 'symbol'))}</p>`}
${safety && html`<p>${renderProductValue(safety, enter(place, 'materialSafetyInformation'))}</p>`}
${renderRest(material, place, shown)}</li>`
}

/** Returns those of the members whose own members are all shown. */
const listFullyShown = (value: LabelledValue, names: readonly string[], shown: readonly string[]): string[] =>
  names.filter((name) => (findMember(value, name)?.members ?? []).every((member) => shown.includes(member.name)))
