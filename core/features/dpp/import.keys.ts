import type { NewPassport } from './passports.schema.ts'
import { identityOf } from './product.rules.ts'

/** Granularity, model, batch and item number: what one passport of an application can have only. */
export type Identity = readonly (string | null)[]

/** A reference as a key of its own kind. */
export const referenceKey = (reference: string): string => `r${reference}`

/** Numbers as a key; they hold no control characters. */
export const identityKey = (identity: Identity): string => {
  const [granularity, model, batch, item] = identity
  return `n${granularity ?? '\0'}\x01${model ?? '\0'}\x01${batch ?? '\0'}\x01${item ?? '\0'}`
}

/** What of a body only one passport of the application can have. */
export interface Keys {
  reference: string | null
  identity: Identity | null
  /** Of the identity. */
  numbers: string | null
}

/** Of a judged body. */
export function keysOf({ reference = null, product }: Pick<NewPassport, 'reference' | 'product'>): Keys {
  if (typeof product === 'string') return { reference, identity: null, numbers: null }
  const identity = identityOf(product)
  return { reference, identity, numbers: identityKey(identity) }
}

/** Parents that an identity names: the number of its model, the identity of its batch; null where it names none. */
export function parentsOf([granularity, model, batch]: Identity) {
  const ofItem = granularity === 'item'
  return {
    model: granularity !== 'model' && model ? model : null,
    batch: ofItem && batch && model ? (['batch', model, batch, null] as const) : null,
    /** A batch that is named without its model. */
    loose: ofItem && batch && !model ? batch : null,
  }
}

export const modelIdentity = (model: string): Identity => ['model', model, null, null]
