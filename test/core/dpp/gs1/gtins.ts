import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { computeCheckDigit } from '../../../../core/kernel/text/check-digit.ts'
import { getOperator } from '../../identity/people.ts'
import { buildDescribedPassport, type Shop } from '../../../support/world.ts'

/** The signs that a number of GS1 is made of. */
export const allowedCharacters = [
  ...'!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
]
/** A number that an address can hold. */
export const qualifierValue = fc
  .array(fc.constantFrom(...allowedCharacters), { minLength: 1, maxLength: 20 })
  .map((some) => some.join(''))
  .filter((text) => text !== '.' && text !== '..')

/** A GTIN that nobody has. @param length digits: 8, 12, 13 or 14 */
export function createGtin(length = 14): string {
  const digits = Array.from({ length: length - 1 }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('')
  return digits + computeCheckDigit(digits)
}

/** Makes passports what everybody may see, without waiting for jobs. */
export async function publishAll(...ids: string[]): Promise<void> {
  const { db } = await getOperator()
  await db('passports').whereIn('id', ids).update({ status: 'published' })
}

/** A published passport of this product. @returns its id */
export async function createPublishedProduct(shop: Shop, product: object): Promise<string> {
  const { id } = await buildDescribedPassport(shop, { name: 'Bag', ...product })
  await publishAll(id)
  return id
}

/** A model with a GTIN, its batch B and item S without one, all published. */
export async function createFamily(shop: Shop, gtin: string) {
  const [modelNumber, batchNumber, itemNumber] = [gtin, 'B', 'S']
  const model = await createPublishedProduct(shop, { idGranularity: 'model', modelNumber, gtin })
  const batch = await createPublishedProduct(shop, { idGranularity: 'batch', modelNumber, batchNumber })
  const item = await createPublishedProduct(shop, { idGranularity: 'item', modelNumber, batchNumber, itemNumber })
  return { model, batch, item }
}
