import type { NewPassport } from '../passports/index.ts'
import { getIdentity } from '../content/index.ts'

/** The granularity and the model, batch and item numbers, which only one passport of an application can have. */
export type ProductIdentity = readonly (string | null)[]

/** Formats a reference as a key, with a prefix that no other kind of key has. */
export const formatReferenceKey = (reference: string): string => `r${reference}`

/** Formats granularity and numbers as a key; numbers have no control characters. */
export const formatIdentityKey = (identity: ProductIdentity): string => {
  const [granularity, model, batch, item] = identity
  return `n${granularity ?? '\0'}\x01${model ?? '\0'}\x01${batch ?? '\0'}\x01${item ?? '\0'}`
}

/** The values of a body that only one passport of the application can have. */
export interface UniqueKeys {
  reference: string | null
  identity: ProductIdentity | null
  /** The key of `identity`. */
  identityKey: string | null
}

/** Returns the unique keys of a valid body. */
export function getUniqueKeys({ reference = null, product }: Pick<NewPassport, 'reference' | 'product'>): UniqueKeys {
  if (typeof product === 'string') return { reference, identity: null, identityKey: null }
  const identity = getIdentity(product)
  return { reference, identity, identityKey: formatIdentityKey(identity) }
}

/**
 * Returns the parents that an identity names: the number of its model and the identity of its batch; null if it names
 * none.
 */
export function getParentIdentities([granularity, model, batch]: ProductIdentity) {
  const ofItem = granularity === 'item'
  return {
    model: granularity !== 'model' && model ? model : null,
    batch: ofItem && batch && model ? (['batch', model, batch, null] as const) : null,
    /** The number of a batch that is named without its model. */
    batchNumber: ofItem && batch && !model ? batch : null,
  }
}

export const createModelIdentity = (model: string): ProductIdentity => ['model', model, null, null]
