import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { getOperator, signInBuyer } from '../core/identity/people.ts'
import { waitForJob } from '../core/dpp/passports/fixtures.ts'
import { createGtin } from '../core/dpp/gs1/gtin-values.ts'
import { holdBrandPictures } from '../pages/brand/pictures.ts'
import { createBagPassport, publishPassport } from '../pages/product/showcase.ts'
import { createApiClient } from '../support/client.ts'
import { proveDomain } from '../support/network/domains.ts'
import { loseAnchor } from '../support/rows/dpp/anchors.ts'
import {
  forgeCertificate,
  markCertificationPending,
  removeCertificateCopies,
} from '../support/rows/dpp/certificate-faults.ts'
import { buildShop, type Shop } from '../support/world.ts'

/** How a passport may stand, as its public page tells it. */
interface PassportState {
  name: string
  /** The address of the page, from its path on. */
  path: string
  /** The session of a buyer who looks at it. */
  session?: string
}

/** What applications may say of their looks. */
export type Looks = Readonly<Record<string, unknown>>

/** A shop with these looks and the pictures of a brand. Its name is proven by a domain, unless a state is about that. */
export async function buildDressedShop(browser: Browser, looks: Looks, domain?: string): Promise<Shop> {
  const shop = await buildShop()
  await holdBrandPictures(browser, shop.organization)
  const changed = await shop.api.patch(`/v1/applications/${shop.application}`, { theme: looks })
  expect(changed.status, changed.text).to.equal(200)
  if (domain !== undefined) await proveDomain(shop.api, shop.application, domain)
  return shop
}

/** A published bag. @returns its id */
export async function publishBag(shop: Shop, more: object = {}): Promise<string> {
  const id = await createBagPassport(shop, more)
  await publishPassport(shop, id)
  return id
}

/** Claims a passport as a new buyer. @returns the token of the buyer's session */
export async function claimPassport(shop: Shop, passport: string): Promise<string> {
  const session = String((await signInBuyer(shop.application)).body['token'])
  const buyer = createApiClient({ bearer: session })
  const { body } = await shop.api.get(`/v1/dpp/passports/${passport}/magic-token`)
  const claim = await buyer.post('/v1/dpp/claim/magicToken', { magicToken: body['token'] })
  expect(claim.status, claim.text).to.equal(202)
  await waitForJob(buyer, `/v1/dpp/claim/${claim.body.jobId}/status`)
  return session
}

async function setStatus({ api }: Shop, id: string, purpose: 'revocation' | 'suspension'): Promise<void> {
  const set = await api.post(`/v1/dpp/passports/${id}/status`, { purpose, value: true, reason: 'The strap may tear.' })
  expect(set.status, set.text).to.equal(200)
}

/** Creates a passport in each state that the page tells apart, in a shop with these looks. */
export async function createPassportStates(browser: Browser, looks: Looks, domain: string): Promise<PassportState[]> {
  const [shop, unproven] = [await buildDressedShop(browser, looks, domain), await buildDressedShop(browser, looks)]
  const { db } = await getOperator()
  const certified = () => publishBag(shop)
  const gtin = createGtin()
  await publishBag(shop, { product: { gtin, idGranularity: 'model', modelNumber: gtin, itemNumber: undefined } })
  const [claimed, revoked, suspended, archived] = [
    await certified(),
    await certified(),
    await certified(),
    await certified(),
  ]
  const [failed, unreachable, unjudged, pending] = [
    await certified(),
    await certified(),
    await certified(),
    await certified(),
  ]
  const session = await claimPassport(shop, claimed)
  await setStatus(shop, revoked, 'revocation')
  await setStatus(shop, suspended, 'suspension')
  expect((await shop.api.patch(`/v1/dpp/passports/${archived}`, { status: 'archived' })).status).to.equal(200)
  await forgeCertificate(db, failed, { word: 'Porto', replacement: 'Lagos' })
  await removeCertificateCopies(db, unreachable)
  await loseAnchor(db, unjudged)
  await markCertificationPending(db, pending)
  return [
    { name: '01-draft', path: `/p/${await createBagPassport(shop)}` },
    { name: '02-not-certified', path: `/p/${await publishBag(shop, { certifiedPaths: [] })}` },
    { name: '03-certified', path: `/p/${await certified()}` },
    { name: '04-certified-by-a-name-not-proven', path: `/p/${await publishBag(unproven)}` },
    { name: '05-claimed', path: `/p/${claimed}` },
    { name: '06-claimed-by-you', path: `/p/${claimed}`, session },
    { name: '07-revoked', path: `/p/${revoked}` },
    { name: '08-suspended', path: `/p/${suspended}` },
    { name: '09-archived', path: `/p/${archived}` },
    { name: '10-unknown-serial-number', path: `/01/${gtin}/21/UNKNOWN-1` },
    { name: '11-check-failed', path: `/p/${failed}` },
    { name: '12-certificate-out-of-reach', path: `/p/${unreachable}` },
    { name: '13-not-judged-now', path: `/p/${unjudged}` },
    { name: '14-certification-under-way', path: `/p/${pending}` },
  ]
}
