import { advancePassports } from '../../../support/rows/dpp/passports.ts'
import { getOperator } from '../../identity/people.ts'
import { buildDescribedPassport, type Shop } from '../../../support/world.ts'

/** Makes passports what everybody may see, without waiting for jobs. */
export async function publishAll(...ids: string[]): Promise<void> {
  const { db } = await getOperator()
  await advancePassports(db, ids, { status: 'published' })
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
