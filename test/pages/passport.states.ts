import { expect } from 'chai'
import { waitForJob } from '../core/dpp/passports/fixtures.ts'
import { buildDescribedPassport, type Shop } from '../support/world.ts'
import { getOperator } from '../core/identity/people.ts'
import {
  forgeCertificate,
  markCertificationPending,
  removeCertificateCopies,
} from '../support/rows/dpp/certificate-faults.ts'

/** The ways that a certificate may stand, as the page tells them. */
export const passportStandings = [
  'verified',
  'failed',
  'suspended',
  'revoked',
  'unreachable',
  'archived',
  'none',
  'pending',
] as const
export type StandingName = (typeof passportStandings)[number]

const country = { countryCode: 'PT', countryName: 'Portugal' }
const link = {
  linkURL: 'https://brand.example/care.pdf',
  linkName: 'Care guide',
  mediaType: 'application/pdf',
  linkType: 'page',
}
const numbers = { modelNumber: 'FJ-7', batchNumber: 'B1' }

/** An item with all that a page tells of a product. */
const jacket = (itemNumber: string) => ({
  idGranularity: 'item',
  name: 'Field jacket',
  ...numbers,
  itemNumber,
  description: 'A jacket for all weathers.',
  productionDate: '2026-03-01',
  countryOfProduction: country,
  producedAtFacility: { type: ['Facility'], id: 'https://mill.example/1', name: 'Atelier Norte' },
  relatedDocument: [link, { ...link, linkURL: 'http://brand.example/old.pdf', linkName: 'Unsafe' }],
})
const data = {
  origin: { town: 'Porto', country: 'PT' },
  care: ['Wash cold', 'Dry flat'],
  weight: 0.82,
  repairable: true,
  parts: [{ name: 'Zip', recycled: 0.4 }],
  site: 'https://brand.example/jackets',
}

export interface PassportStates {
  shop: Shop
  ids: Record<StandingName, string>
  model: string
  batch: string
}

/** A model, its batch, and an item for each way that a certificate may stand; all published in one job. */
export async function createStates(shop: Shop): Promise<PassportStates> {
  const own = { network: 'EthereumAnvil', certifiedPaths: ['origin', 'weight', 'parts'], data }
  const model = await buildDescribedPassport(
    shop,
    { idGranularity: 'model', name: 'Field jacket FJ-7', modelNumber: 'FJ-7' },
    own,
  )
  const batch = await buildDescribedPassport(shop, { idGranularity: 'batch', name: 'Batch of March', ...numbers }, own)
  const bare = { network: 'EthereumAnvil', data }
  const made = await Promise.all(
    passportStandings.map((name) =>
      buildDescribedPassport(shop, jacket(name), name === 'none' || name === 'pending' ? bare : own),
    ),
  )
  const ids = Object.fromEntries(
    passportStandings.map((name, at) => [name, String(made[at]?.id)]),
  ) as PassportStates['ids']
  const started = await shop.api.post(`/v1/dpp/passports/publish?filters[id][eq]=${model.id}`)
  expect(started.status, started.text).to.equal(202)
  await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)
  await bring(shop, ids)
  return { shop, ids, model: String(model.id), batch: String(batch.id) }
}

async function bring({ api }: Shop, ids: PassportStates['ids']): Promise<void> {
  const { db } = await getOperator()
  for (const [name, purpose] of [
    ['suspended', 'suspension'],
    ['revoked', 'revocation'],
  ] as const) {
    const set = await api.post(`/v1/dpp/passports/${ids[name]}/status`, { purpose, value: true, reason: 'A test' })
    expect(set.status, set.text).to.equal(200)
  }
  expect((await api.patch(`/v1/dpp/passports/${ids.archived}`, { status: 'archived' })).status).to.equal(200)
  await forgeCertificate(db, ids.failed, { word: 'Porto', replacement: 'Lagos' })
  await removeCertificateCopies(db, ids.unreachable)
  await markCertificationPending(db, ids.pending)
}
