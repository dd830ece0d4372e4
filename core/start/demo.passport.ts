import { setTimeout as wait } from 'node:timers/promises'
import type { Demo } from './demo.ts'

/** A number of the range that GS1 keeps for examples. */
const gtin = '09520123456788'
const itemNumber = 'DEMO-1'
const reference = 'tessera-demo-bag'

/** What there is to look at: one item, described by itself, two of its values and all of the product certified. */
export const demoPassport = {
  network: 'EthereumAnvil', reference, certifiedPaths: ['origin', 'materials'],
  product: {
    idGranularity: 'item', name: 'Weekend bag', itemNumber, gtin, productionDate: '2026-03-02',
    description: 'A bag of waxed cotton with leather handles. This is an example: nobody sells it.',
    idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'GS1 GTIN' },
    productCategory: [{
      code: '420292', name: 'Travel bags with an outer surface of textile materials',
      schemeId: 'https://www.wcoomd.org/en/topics/nomenclature.aspx', schemeName: 'Harmonized System (HS)',
    }],
    producedAtFacility: { type: ['Facility'], id: 'https://id.gs1.org/414/9520123456788', name: 'Atelier Norte' },
    countryOfProduction: { countryCode: 'PT', countryName: 'Portugal' },
  },
  data: {
    origin: { workshop: 'Atelier Norte', town: 'Porto' },
    materials: [{ name: 'Cotton', share: 0.82, recycled: 0.4 }, { name: 'Leather', share: 0.18, recycled: 0 }],
    care: ['Brush dry', 'Wax once a year'], repairable: true,
  },
}

/** Where the passport is: for people, by its GS1 Digital Link, and its credential. */
export interface ShownPassport { page: string; link: string; credential: string }

/** Milliseconds between two looks whether it is certified, and after which nobody waits for it. */
const patience = { look: 500, all: 180_000 }

interface Found { id: string; status: string; certificationStatus: string }

/**
 * One certified passport for newcomers to look at, made through the API as anybody would make it, and found again at
 * the next start. What has become of it since stays as it is.
 * @returns its addresses; null where it is not to be seen: archived, or its certification failed
 * @throws Error when the API refuses, or is gone
 */
export async function showPassport(
  demo: Pick<Demo, 'api' | 'apiKey' | 'application'>, publicUrl: string, signal: AbortSignal,
): Promise<ShownPassport | null> {
  const ask = askerOf(demo, AbortSignal.any([signal, AbortSignal.timeout(patience.all)]))
  const named = `filters[reference][eq]=${reference}&filters[application.id][eq]=${demo.application}`
  const { data: [known] } = await ask<{ data: Found[] }>('GET', `/v1/dpp/passports?${named}`)
  const made = known ?? await ask<Found>('POST', '/v1/dpp/passports', { ...demoPassport, application: demo.application })
  const path = `/v1/dpp/passports/${made.id}`
  if (made.status === 'draft') await ask('POST', `/v1/dpp/passports/publish?filters[id][eq]=${made.id}`)
  for (;;) {
    const { status, certificationStatus } = await ask<Found>('GET', path)
    if (status === 'archived' || certificationStatus === 'error') return null
    if (certificationStatus === 'certified') break
    await wait(patience.look, undefined, { signal })
  }
  return {
    page: `${publicUrl}/p/${made.id}`, link: `${publicUrl}/01/${gtin}/21/${itemNumber}`, credential: `${demo.api}${path}/vc.jsonld`,
  }
}

type Ask = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>

function askerOf({ api, apiKey }: Pick<Demo, 'api' | 'apiKey'>, signal: AbortSignal): Ask {
  return async <T>(method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await fetch(`${api}${path}`, {
      method, signal, headers: { 'X-Api-Key': apiKey, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text.slice(0, 500)}`)
    return JSON.parse(text) as T
  }
}

/** The lines that `npm start` prints once it can be looked at. */
export const passportLines = ({ page, link, credential }: ShownPassport): string => [
  '  A certified passport to look at', `  Its page           ${page}`, `  Its Digital Link   ${link}`, `  Its credential     ${credential}`, '',
].join('\n')
