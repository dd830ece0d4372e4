import { expect } from 'chai'
import { getOperator, signInMember } from '../../core/identity/people.ts'
import { insertCardHolders } from '../../support/rows/loyalty/cards.ts'
import { buildShop, type Shop } from '../../support/world.ts'
import { createVisitor, readForm, type Visitor } from '../passports/visitor.ts'

export const campaignsPath = '/console/campaigns'

/** A shop whose customers have cards of Apple Wallet, with its owner in the console. */
export async function buildCampaignShop(holders: number): Promise<{ shop: Shop; owner: Visitor }> {
  const shop = await buildShop()
  const { db } = await getOperator()
  await insertCardHolders(db, { ...shop, count: holders, channel: 'apple-wallet', locale: 'fr-CH' })
  return { shop, owner: createVisitor(await signInMember(shop.owner, shop.organization)) }
}

/** A message that is to be sent to cards of Apple Wallet. */
export const message = { name: 'Autumn', headline: 'A coffee on us', body: 'Show your card at the till.', apple: 'yes' }

/** Saves a draft by the form. @returns the address of its page */
export async function saveDraft(owner: Visitor, fields: Record<string, string>): Promise<string> {
  const form = readForm(await owner.get(`${campaignsPath}/new`), campaignsPath)
  const { google: _, ...empty } = form
  const answer = await owner.post(campaignsPath, { ...empty, ...fields, act: 'save' })
  expect(answer.status, answer.text).to.equal(303)
  return String(answer.headers['location']).replace(/\?.*/, '')
}
