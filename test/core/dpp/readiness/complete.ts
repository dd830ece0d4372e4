import { everyMember } from '../passports/products.ts'

const country = { countryCode: 'IT', countryName: 'Italy' }
const category = { code: '420221', name: 'Handbags', schemeId: 'https://taric.example/', schemeName: 'TARIC' }
const measure = { value: 1.25, unit: 'KGM', upperTolerance: 0.01 }
const link = { linkURL: 'https://brand.example/declaration', linkName: 'Declaration of conformity' }
const address = {
  streetAddress: 'Via 1',
  postalCode: '50100',
  addressLocality: 'Firenze',
  addressRegion: 'FI',
  addressCountry: country,
}
const [claim] = everyMember.performanceClaim
const [wool] = everyMember.materialProvenance

/** An item with every part that UNTP 0.7.0 has and nothing wrong, lists of several elements included. */
export const completeProduct: Record<string, unknown> = {
  ...everyMember,
  itemNumber: '1',
  id: 'https://id.gs1.org/01/09520123456788/10/B/21/1',
  gtin: '09520123456788',
  producedAtFacility: { type: ['Facility'], id: 'https://mill.example/1', name: 'Mill', registeredId: '1' },
  productCategory: [category, { ...category, code: '420222' }],
  relatedDocument: [link, { ...link, linkName: 'Manual' }],
  relatedParty: [
    {
      role: 'manufacturer',
      party: { type: ['Party'], id: 'https://mill.example/', name: 'Mill', registeredId: 'IT1', partyAddress: address },
    },
    { role: 'recycler', party: { id: 'https://again.example/', name: 'Again' } },
  ],
  dimensions: { weight: measure, height: { value: 0.3, unit: 'MTR' } },
  materialProvenance: [
    { ...wool, recycledMassFraction: 0.5 },
    { ...wool, name: 'Linen', massFraction: 0.25 },
  ],
  performanceClaim: [
    claim,
    {
      ...claim,
      id: 'https://claims.example/2',
      applicablePeriod: { startDate: '2026-01-01', endDate: '2026-12-31' },
      evidence: [link],
      conformityTopic: [{ id: 'https://claims.example/t', name: 'Circularity' }],
      claimedPerformance: [
        { metric: { type: ['PerformanceMetric'], id: 'https://claims.example/m', name: 'Share' }, measure },
        {
          metric: { id: 'https://claims.example/n', name: 'Length' },
          measure: { value: 2, unit: 'MTR' },
          score: { code: 'A', rank: 1 },
        },
      ],
    },
  ],
}

/** A passport of that product with every member, but for its application. */
export const completeBody = {
  product: completeProduct,
  network: 'EthereumAnvil',
  reference: 'no other has it',
  certifiedPaths: ['color', 'origin.country'],
  data: { color: 'red', origin: { country: 'IT' } },
  certificateUri: 'https://brand.example/certificate',
  allowedClaimEmail: 'buyer@example.com',
  allowedClaimPhoneNumber: '+33612345678',
}

/** Fields of every type, and values that fit them. */
export const passportsFields = [
  { name: 'serial', type: 'string', required: true, maxLength: 40 },
  { name: 'notes', type: 'text' },
  { name: 'color', type: 'enum', variants: ['red', 'blue'] },
  { name: 'size', type: 'number', min: 0 },
  { name: 'new', type: 'boolean' },
  { name: 'made', type: 'date' },
  { name: 'manual', type: 'url' },
  {
    name: 'origin',
    type: 'object',
    fields: [
      { name: 'country', type: 'string', required: true },
      { name: 'year', type: 'number' },
    ],
  },
  {
    name: 'parts',
    type: 'array',
    itemsType: {
      name: '[]',
      type: 'object',
      fields: [
        { name: 'weight', type: 'number', min: 0 },
        { name: 'repairedAt', type: 'date' },
      ],
    },
  },
]
export const completeFields = {
  serial: 'A',
  notes: 'many\nlines',
  color: 'red',
  size: 1,
  new: true,
  made: '2026-01-31',
  manual: 'https://brand.example/',
  origin: { country: 'IT', year: 2026 },
  parts: [
    { weight: 1, repairedAt: '2026-02-01' },
    { weight: 2, repairedAt: '2026-02-01T10:00:00Z' },
  ],
}
