import { expect } from 'chai'
import type { Passport } from '../../../../core/features/dpp/index.ts'
import { waitForJob, readPassport } from './fixtures.ts'
import type { Shop } from '../../../support/world.ts'

/** Publishes passports and waits for their structure. */
export async function publishPassports({ api }: Shop, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const started = await api.post(`/v1/dpp/passports/publish?filters[id][eq]=${id}&skipCertification=true`)
    expect(started.status, started.text).to.equal(202)
    await waitForJob(api, `/v1/jobs/${started.body.jobId}`)
    await waitForStructure({ api }, id)
  }
}

/** The passport when its structure job is done. */
export async function waitForStructure({ api }: Pick<Shop, 'api'>, id: string): Promise<Passport> {
  const passport = await readPassport(api, id)
  if (passport.structureJob) await waitForJob(api, `/v1/jobs/${passport.structureJob.id}`)
  return readPassport(api, id)
}

/** Objects in each other, this many. */
export const createNested = (levels: number): object => (levels === 1 ? {} : { a: createNested(levels - 1) })

const link = { linkURL: 'https://brand.example/bag', linkName: 'Bag', mediaType: 'text/html', linkType: 'page' }
const country = { countryCode: 'IT', countryName: 'Italy' }
const category = { code: '46410', name: 'Bags', schemeId: 'https://classes.example/', schemeName: 'Classes' }
const measure = { value: 1.25, unit: 'KGM', upperTolerance: 0.01 }
const picture = { name: 'Mark', imageData: 'aGk=', mediaType: 'image/png' }
const material = {
  name: 'Wool',
  originCountry: country,
  materialType: category,
  massFraction: 0.75,
  mass: measure,
  hazardous: false,
  symbol: picture,
}

/** A product with every member that UNTP has, but for its serial number. */
export const everyMember = {
  id: 'https://id.gs1.org/01/09520123456788/21/1',
  name: 'Bag',
  description: 'Of wool',
  idGranularity: 'item',
  idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'GTIN' },
  modelNumber: 'M',
  batchNumber: 'B',
  productImage: link,
  productCategory: [category],
  relatedDocument: [link],
  relatedParty: [{ role: 'manufacturer', party: { type: ['Party'], id: 'https://mill.example/', name: 'Mill' } }],
  producedAtFacility: { type: ['Facility'], id: 'https://mill.example/1', name: 'Mill', registeredId: '1' },
  productionDate: '2026-01-31',
  expiryDate: '2036-01-31',
  countryOfProduction: country,
  dimensions: { weight: measure },
  materialProvenance: [material],
  packaging: { description: 'Box', dimensions: { height: measure }, materialUsed: [material] },
  productLabel: [picture],
  performanceClaim: [
    {
      type: ['Claim'],
      id: 'https://claims.example/1',
      name: 'Recycled',
      claimDate: '2026-01-01',
      conformityTopic: [],
      referenceCriteria: [{ id: 'https://claims.example/c', name: 'C' }],
      claimedPerformance: [{ metric: { id: 'https://claims.example/m', name: 'Share' }, measure }],
    },
  ],
}
