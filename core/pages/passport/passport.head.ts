import type { LabelledValue, PassportPage } from '../../features/dpp/index.ts'
import { html, renderDataBlock, type Markup } from '../site/html.ts'
import { getLargestForm } from '../site/pictures.ts'
import { getCardPath } from './card/card.ts'
import { findMember, getNumber, getText, listElements } from './product/members.ts'

/** The longest description in the head of a page, in characters; more is cut by whoever shows it. */
const maxDescription = 300

/**
 * Renders what other sites show of a page: its title, a description and a picture, and the product as data for search
 * engines, with the address of its proof.
 * Source: Open Graph protocol; schema.org, Product and Certification; Google, "Merchant listing structured data".
 * @param address the page, without its language
 */
export function renderSharedHead(view: PassportPage, address: string): Markup {
  const { title, application, passport } = view
  const description = findDescription(view)
  const meta = (name: string, content: string | null) =>
    content !== null && html`<meta property="${name}" content="${content}">\n`
  return html`${description !== null && html`<meta name="description" content="${description}">\n`}${meta('og:type', 'product')}${meta('og:title', title)}${meta('og:description', description)}${meta('og:url', address)}${meta('og:site_name', application.title)}${meta('og:image', new URL(getCardPath(view), address).href)}${meta('og:image:type', 'image/jpeg')}${meta('og:image:width', '1200')}${meta('og:image:height', '630')}${meta('og:image:alt', `${title} – ${application.title}`)}<meta name="twitter:card" content="summary_large_image">
${passport.status === 'archived' && html`<meta name="robots" content="noindex">\n`}${renderDataBlock('application/ld+json', createProductData(view, address))}`
}

function findDescription({ product }: PassportPage): string | null {
  const text = product.find(({ name }) => name === 'description')?.value
  if (typeof text !== 'string' || text.trim() === '') return null
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxDescription ? line : `${line.slice(0, maxDescription - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Creates the product as schema.org describes it. Members without a value are left out. */
function createProductData(view: PassportPage, address: string): object {
  const { title, pictures, application, gtin, product, passport, proof, publisher } = view
  const root: LabelledValue = { name: '', label: '', type: 'object', value: {}, members: product }
  const isItem = getText(root, 'idGranularity') === 'item' || product.length === 0
  const maker = listElements(findMember(root, 'relatedParty')).find((one) =>
    ['manufacturer', 'producer'].includes(getText(one, 'role') ?? ''),
  )
  const makerName = getText(findMember(maker, 'party'), 'name')
  const materials = listElements(findMember(root, 'materialProvenance')).flatMap((one) => getText(one, 'name') ?? [])
  const serial = getText(root, 'itemNumber')
  const isProven = proof.standing === 'verified'
  return omitEmpty({
    '@context': 'https://schema.org',
    '@type': isItem && serial !== null ? ['Product', 'IndividualProduct'] : 'Product',
    '@id': address,
    url: address,
    name: title,
    description: findDescription(view),
    image: pictures.flatMap(({ served }) => (served ? new URL(getLargestForm(served).path, address).href : [])),
    brand: { '@type': 'Brand', name: application.title },
    manufacturer: makerName === null ? null : { '@type': 'Organization', name: makerName },
    gtin14: gtin,
    model: getText(root, 'modelNumber'),
    serialNumber: serial,
    productionDate: getText(root, 'productionDate'),
    countryOfOrigin: getText(findMember(root, 'countryOfProduction'), 'countryCode'),
    material: materials,
    weight: createQuantity(findMember(findMember(root, 'dimensions'), 'weight')),
    hasCertification: isProven
      ? {
          '@type': 'Certification',
          name: 'UNTP Digital Product Passport',
          certificationStatus: 'https://schema.org/CertificationActive',
          issuedBy: { '@type': 'Organization', name: proof.issuer?.name ?? publisher.name },
          datePublished: passport.certifiedAt,
          url: new URL(`/v1/dpp/passports/${passport.id}/vc.jsonld`, address).href,
        }
      : null,
  })
}

function createQuantity(measure: LabelledValue | undefined): object | null {
  const [value, unitCode] = [getNumber(measure, 'value'), getText(measure, 'unit')]
  return value === null || unitCode === null ? null : { '@type': 'QuantitativeValue', value, unitCode }
}

const omitEmpty = (members: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )
