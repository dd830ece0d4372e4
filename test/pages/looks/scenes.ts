import { expect } from 'chai'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { buildDescribedPassport, type Shop } from '../../support/world.ts'
import { brandPictures } from '../brand/pictures.ts'

const link = (name: string, linkType: string) => ({
  linkURL: `https://brand.example/${name.replaceAll(' ', '-')}.pdf`,
  linkName: name,
  linkType,
  mediaType: 'application/pdf',
})

const createKind = (code: string, name: string) => ({
  code,
  name,
  schemeId: 'https://unstats.un.org/unsd/classifications/Econ/cpc/',
  schemeName: 'UN Central Product Classification',
})
const [leather, cotton, brass] = [
  createKind('29110', 'Leather'),
  createKind('26360', 'Cotton fabric'),
  createKind('41510', 'Brass'),
]

/** A product with something in most sections. */
const createProduct = (hasPicture: boolean) => ({
  idGranularity: 'item',
  name: 'Weekend bag No. 4',
  modelNumber: 'WB-4',
  batchNumber: 'B-2026-03',
  itemNumber: `WB4-${hasPicture ? 'P' : 'N'}-000123`,
  description: 'Cut from one hide and stitched by hand in Ubrique. Made for two nights away, and for every year after.',
  countryOfProduction: { countryCode: 'ES', countryName: 'Spain' },
  productionDate: '2026-03-01',
  producedAtFacility: { type: ['Facility'], id: 'https://atelier.example/1', name: 'Taller Moreno' },
  ...(hasPicture && {
    productImage: { linkURL: brandPictures.bag, linkName: 'The bag', mediaType: 'image/png' },
  }),
  materialProvenance: [
    {
      name: 'Vegetable tanned leather',
      massFraction: 0.78,
      originCountry: { countryCode: 'IT' },
      materialType: leather,
    },
    {
      name: 'Organic cotton',
      massFraction: 0.17,
      recycledMassFraction: 0.4,
      originCountry: { countryCode: 'PT' },
      materialType: cotton,
    },
    { name: 'Brass', massFraction: 0.05, hazardous: false, originCountry: { countryCode: 'DE' }, materialType: brass },
  ],
  dimensions: { weight: { value: 1.4, unit: 'KGM' }, width: { value: 48, unit: 'CMT' } },
  relatedDocument: [
    link('Leather care', 'gs1:instructions'),
    link('Repair in our ateliers', 'gs1:serviceInfo'),
    link('Test report', 'gs1:certificationInfo'),
  ],
  relatedParty: [{ role: 'manufacturer', party: { type: ['Party'], name: 'Taller Moreno', id: 'https://m.example' } }],
})

/** The texts of a brand, in English and, for some, in French. */
export const brandTexts = {
  en: {
    tagline: 'Leather goods since 1921',
    story: 'Four generations, one street, one needle at a time.',
    care: 'Let it dry slowly, away from the sun. Feed it with our balm twice a year.',
    claim: 'Claim your bag and its repairs are on us for life.',
    help: 'care@alba.example, every day from nine to six.',
    footer: 'Alba, Calle Mayor 4, Madrid',
  },
  fr: { tagline: 'Maroquinerie depuis 1921' },
}

/** Creates published and certified items, one with a picture and one without. @returns their ids */
export async function createShownItems(shop: Shop): Promise<{ pictured: string; plain: string }> {
  const own = { network: 'EthereumAnvil', certifiedPaths: [] }
  const [pictured, plain] = await Promise.all([
    buildDescribedPassport(shop, createProduct(true), own),
    buildDescribedPassport(shop, createProduct(false), own),
  ])
  const started = await shop.api.post(`/v1/dpp/passports/publish`)
  expect((await waitForJob(shop.api, `/v1/jobs/${started.body.jobId}`)).failed).to.equal(0)
  return { pictured: pictured.id, plain: plain.id }
}

/** Gives the application of a shop a theme, in place of the one that it has. */
export async function setTheme({ api, application }: Shop, theme: object): Promise<void> {
  const { body } = await api.get(`/v1/applications/${application}`)
  const none = Object.fromEntries(Object.keys(body['theme'] ?? {}).map((name) => [name, null]))
  const cleared = await api.patch(`/v1/applications/${application}`, { theme: none })
  expect(cleared.status, cleared.text).to.equal(200)
  const changed = await api.patch(`/v1/applications/${application}`, { theme })
  expect(changed.status, changed.text).to.equal(200)
}
