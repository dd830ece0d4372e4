import { expect } from 'chai'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import type { Client } from '../../support/client.ts'
import { brandPictures } from '../brand/pictures.ts'

/** Who shows a product: an application, with a key that may do all. */
interface Showcase {
  api: Client
  application: string
}

const country = (countryCode: string, countryName: string) => ({ countryCode, countryName })
const classification = (code: string, name: string) => ({
  code,
  name,
  schemeId: 'https://unstats.un.org/unsd/classifications/Econ/cpc/',
  schemeName: 'UN CPC',
})
const link = (page: string, linkName: string, more: object = {}) => ({
  linkURL: `https://brand.example/${page}`,
  linkName,
  mediaType: 'application/pdf',
  ...more,
})
const material = (name: string, share: number, origin: object, more: object = {}) => ({
  name,
  originCountry: origin,
  materialType: classification('26', name),
  massFraction: share,
  ...more,
})
const claim = (name: string, description: string, claimedPerformance: object[]) => ({
  type: ['Claim'],
  id: `https://brand.example/claims/${encodeURIComponent(name)}`,
  name,
  description,
  referenceCriteria: [],
  conformityTopic: [],
  claimDate: '2026-03-01',
  claimedPerformance,
  evidence: [link('audit.pdf', 'Audit of the mill')],
})

/** A bag as a brand would describe it: a product with what shoppers look for, in the words of one brand. */
const createBag = (itemNumber: string) => ({
  idGranularity: 'item',
  name: 'Weekend bag, sand',
  itemNumber,
  modelNumber: 'WB-2026',
  productImage: link('', 'The bag from the front', {
    linkURL: brandPictures.bag,
    mediaType: 'image/png',
  }),
  description: 'A bag for two nights away. Waxed cotton outside, lined with recycled polyester, sewn in Porto.',
  productCategory: [classification('29220', 'Luggage and handbags')],
  producedAtFacility: { type: ['Facility'], id: 'https://brand.example/porto', name: 'Atelier Norte, Porto' },
  countryOfProduction: country('PT', 'Portugal'),
  productionDate: '2026-03-01',
  dimensions: {
    weight: { value: 1.24, unit: 'KGM', upperTolerance: 0.05, lowerTolerance: 0.05 },
    length: { value: 52, unit: 'CMT' },
    height: { value: 30, unit: 'CMT' },
    volume: { value: 38, unit: 'LTR' },
  },
  materialProvenance: [
    material('Waxed cotton', 0.62, country('TR', 'Türkiye')),
    material('Recycled polyester', 0.24, country('IT', 'Italy'), { recycledMassFraction: 1 }),
    material('Brass', 0.1, country('PT', 'Portugal'), { recycledMassFraction: 0.35 }),
    material('Beeswax', 0.04, country('FR', 'France')),
  ],
  performanceClaim: [
    claim('Carbon footprint', 'From the field to the shop.', [
      {
        metric: { type: ['PerformanceMetric'], id: 'https://brand.example/metrics/co2e', name: 'CO₂e in all' },
        measure: { value: 11.8, unit: 'KGM' },
      },
    ]),
    claim('Durability', 'Opened and closed 20,000 times.', [
      {
        metric: { type: ['PerformanceMetric'], id: 'https://brand.example/metrics/zip', name: 'Life of the zip' },
        score: { code: 'A', rank: 1 },
      },
    ]),
  ],
  relatedDocument: [
    link('care', 'Care sheet', { mediaType: 'text/html', linkType: 'gs1:consumerHandlingStorageInfo' }),
    link('repair.pdf', 'Repairs for ten years', { linkType: 'gs1:serviceInfo' }),
    link('recycling.pdf', 'How to recycle it'),
    link('', 'Its lock', { linkURL: brandPictures.lock, mediaType: 'image/png' }),
    link('declaration.pdf', 'Declaration of conformity', { linkType: 'gs1:certificationInfo' }),
  ],
  relatedParty: [
    {
      role: 'manufacturer',
      party: {
        type: ['Party'],
        id: 'https://brand.example',
        name: 'Alba Bags',
        registrationCountry: country('PT', 'Portugal'),
      },
    },
  ],
})

/** What stands beside the product: certified, so that its credential is issued. */
const bagData = { certifiedPaths: ['warranty'], data: { warranty: 'Two years', washable: false } }

/** Creates a passport of the bag. @returns its id */
export async function createBagPassport({ api, application }: Showcase, more: object = {}): Promise<string> {
  const { product, ...rest } = { product: {}, ...more } as { product?: object }
  const body = {
    application,
    network: 'EthereumAnvil',
    ...bagData,
    ...rest,
    product: { ...createBag(`WB-${crypto.randomUUID().slice(0, 8)}`), ...product },
  }
  const made = await api.post('/v1/dpp/passports', body)
  expect(made.status, made.text).to.equal(201)
  return String(made.body.id)
}

/** Publishes a draft and waits until it is minted, and certified where it has something to certify. */
export async function publishPassport({ api }: Pick<Showcase, 'api'>, id: string): Promise<void> {
  const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}`)
  expect(started.status, started.text).to.equal(202)
  expect(await waitForJob(api, `/v1/jobs/${started.body.jobId}`)).to.include({ failed: 0 })
}
