import { expect } from 'chai'
import { createPassCertificate, type PassNames, type PemPair } from '../../../../support/wallets/apple/certificates.ts'
import { Device } from '../../../../support/wallets/apple/device.ts'
import { buildBuyer, buildShop, type Buyer, type Shop } from '../../../../support/world.ts'
import { createNames, getAuthority } from './authority.ts'

export const downloadPath = '/v1/apple-wallet/loyalty-pass'

export const getCredentialsPath = (application: string, channel = 'apple-wallet') =>
  `/v1/applications/${application}/wallet-credentials/${channel}`

export interface CardShop extends Shop {
  names: PassNames
  certificate: PemPair
}

/** A shop whose application issues cards with a certificate of its own. */
export async function buildCardShop(): Promise<CardShop> {
  const shop = await buildShop()
  const names = createNames()
  const certificate = createPassCertificate(getAuthority(), names)
  const named = await shop.api.patch(`/v1/applications/${shop.application}`, {
    loyaltySettings: { appleWallet: names },
  })
  expect(named.status, named.text).to.equal(200)
  const set = await shop.api.put(getCredentialsPath(shop.application), certificate)
  expect(set.status, set.text).to.equal(200)
  return { ...shop, names, certificate }
}

/** A buyer, and the phone that their card was added to. */
export interface CardHolder {
  buyer: Buyer
  device: Device
}

/** A buyer of the shop whose card is on a phone. */
export async function buildCardHolder(shop: Pick<Shop, 'application'>): Promise<CardHolder> {
  const buyer = await buildBuyer(shop)
  const device = new Device(getAuthority().certificate)
  const heard = await device.add(await downloadPass(buyer))
  expect(heard.status).to.equal(201)
  return { buyer, device }
}

export async function downloadPass(buyer: Buyer): Promise<Buffer> {
  const answer = await buyer.get(downloadPath)
  expect(answer.status, answer.text).to.equal(200)
  return answer.bytes
}
