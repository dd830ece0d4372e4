import { setTimeout as wait } from 'node:timers/promises'
import { createApiRequest } from './demo.request.ts'
import type { DemoAccess } from './demo.ts'

/** A number in the range that GS1 reserves for examples. */
const gtin = '09520123456788'
const itemNumber = 'DEMO-1'
const reference = 'tessera-demo-bag'

/**
 * The demo passport: one item with its own product data. Two values of its data and the whole product are certified.
 */
export const demoPassport = {
  network: 'EthereumAnvil',
  reference,
  certifiedPaths: ['origin', 'materials'],
  product: {
    idGranularity: 'item',
    name: 'Weekend bag',
    itemNumber,
    gtin,
    productionDate: '2026-03-02',
    description: 'A bag of waxed cotton with leather handles. This is an example: nobody sells it.',
    idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'GS1 GTIN' },
    productCategory: [
      {
        code: '420292',
        name: 'Travel bags with an outer surface of textile materials',
        schemeId: 'https://www.wcoomd.org/en/topics/nomenclature.aspx',
        schemeName: 'Harmonized System (HS)',
      },
    ],
    producedAtFacility: { type: ['Facility'], id: 'https://id.gs1.org/414/9520123456788', name: 'Atelier Norte' },
    countryOfProduction: { countryCode: 'PT', countryName: 'Portugal' },
  },
  data: {
    origin: { workshop: 'Atelier Norte', town: 'Porto' },
    materials: [
      { name: 'Cotton', share: 0.82, recycled: 0.4 },
      { name: 'Leather', share: 0.18, recycled: 0 },
    ],
    care: ['Brush dry', 'Wax once a year'],
    repairable: true,
  },
}

/** The addresses of a passport: its page for people, its GS1 Digital Link and its credential. */
export interface ShownPassport {
  page: string
  link: string
  credential: string
}

/** Milliseconds between two checks whether the passport is certified, and the timeout of the whole preparation. */
const waitTimes = { lookIntervalMs: 500, timeoutMs: 180_000 }

interface PassportRow {
  id: string
  status: string
  certificationStatus: string
}

/**
 * Creates one certified passport for newcomers to look at, through the API like any other caller. A later start finds
 * the same passport and leaves its changes as they are.
 * @returns the addresses of the passport; null if it cannot be shown because it is archived or its certification failed
 * @throws Error if the API answers with an error or not at all, or if the preparation takes too long
 */
export async function prepareDemoPassport(
  demo: Pick<DemoAccess, 'api' | 'apiKey' | 'application'>,
  publicUrl: string,
  signal: AbortSignal,
): Promise<ShownPassport | null> {
  const request = createApiRequest(demo, AbortSignal.any([signal, AbortSignal.timeout(waitTimes.timeoutMs)]))
  const query = `filters[reference][eq]=${reference}&filters[application.id][eq]=${demo.application}`
  const {
    data: [existing],
  } = await request<{ data: PassportRow[] }>('GET', `/v1/dpp/passports?${query}`)
  const passport =
    existing
    ?? (await request<PassportRow>('POST', '/v1/dpp/passports', { ...demoPassport, application: demo.application }))
  const path = `/v1/dpp/passports/${passport.id}`
  if (passport.status === 'draft') await request('POST', `/v1/dpp/passports/publish?filters[id][eq]=${passport.id}`)
  for (;;) {
    const { status, certificationStatus } = await request<PassportRow>('GET', path)
    if (status === 'archived' || certificationStatus === 'error') return null
    if (certificationStatus === 'certified') break
    await wait(waitTimes.lookIntervalMs, undefined, { signal })
  }
  return {
    page: `${publicUrl}/p/${passport.id}`,
    link: `${publicUrl}/01/${gtin}/21/${itemNumber}`,
    credential: `${demo.api}${path}/vc.jsonld`,
  }
}

/** Formats the lines that `npm start` prints when the passport is certified. */
export const formatPassportLines = ({ page, link, credential }: ShownPassport): string =>
  [
    '  A certified passport to look at',
    `  Its page           ${page}`,
    `  Its Digital Link   ${link}`,
    `  Its credential     ${credential}`,
    '',
  ].join('\n')
