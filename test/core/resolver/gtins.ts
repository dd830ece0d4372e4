import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { checkDigit } from '../../../core/features/dpp/gs1.ts'
import { operator } from '../identity/people.ts'
import type { Shop } from '../passports/fixtures.ts'
import { newDescribed } from '../passports/products.ts'

/** The signs that a number of GS1 is made of. */
export const signs = [...'!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz']
/** A number that an address can hold. */
export const value = fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 20 }).map((some) => some.join(''))
  .filter((text) => text !== '.' && text !== '..')

/** A GTIN that nobody has. @param length digits: 8, 12, 13 or 14 */
export function newGtin(length = 14): string {
  const digits = Array.from({ length: length - 1 }, (_, at) => randomInt(at === 0 ? 1 : 0, 10)).join('')
  return digits + checkDigit(digits)
}

/** Makes passports what everybody may see, without waiting for jobs. */
export async function open(...ids: string[]): Promise<void> {
  const { db } = await operator()
  await db('passports').whereIn('id', ids).update({ status: 'published' })
}

/** A published passport of this product. @returns its id */
export async function opened(shop: Shop, product: object): Promise<string> {
  const { id } = await newDescribed(shop, { name: 'Bag', ...product })
  await open(id)
  return id
}

/** A model with a GTIN, its batch B and item S without one, all published. */
export async function newFamily(shop: Shop, gtin: string) {
  const [modelNumber, batchNumber, itemNumber] = [gtin, 'B', 'S']
  const model = await opened(shop, { idGranularity: 'model', modelNumber, gtin })
  const batch = await opened(shop, { idGranularity: 'batch', modelNumber, batchNumber })
  const item = await opened(shop, { idGranularity: 'item', modelNumber, batchNumber, itemNumber })
  return { model, batch, item }
}
