import { optional, string } from '../../../kernel/schema.ts'
import { isDigitalLinkValue } from '../gs1.ts'

/** What of a Digital Link is asked beside the GTIN, or what of that is not registered. */
export interface ScannedNumbers { batch?: string; serial?: string }

/**
 * Finds the numbers of a link that stand on no passport here, where it led to this product: a serial number below a
 * model or a batch, a batch number below a model. An item that names no batch is the one of any batch.
 */
export function unregisteredNumbers({ batch, serial }: ScannedNumbers, product: Record<string, unknown>): ScannedNumbers {
  const { idGranularity } = product
  return {
    ...(batch !== undefined && idGranularity === 'model' && { batch }),
    ...(serial !== undefined && idGranularity !== 'item' && { serial }),
  }
}

export const isEmpty = (numbers: ScannedNumbers): boolean => Object.keys(numbers).length === 0

/**
 * Names of the parameters by which a page is told what was scanned: the application identifiers of GS1. No Digital Link
 * has them in its query, where only other identifiers stand. Source: GS1 Digital Link URI Syntax 1.x, section 4.11.
 */
const parameters = { batch: '10', serial: '21' } as const

/** What a page may be asked with. */
export const scannedQuery = {
  [parameters.batch]: optional(string('Batch number that was scanned, where it is not registered.', { maxLength: 100 })),
  [parameters.serial]: optional(string('Serial number that was scanned, where it is not registered.', { maxLength: 100 })),
}

/**
 * Writes the query of a page that a link leads to although some of its numbers are not registered: the numbers
 * themselves, never a word on them, so that the page looks them up and nobody can tell it what to say. Empty for none.
 */
export function searchOfNumbers({ batch, serial }: ScannedNumbers): string {
  const pairs = [[parameters.batch, batch], [parameters.serial, serial]] as const
  const own = pairs.flatMap(([name, value]) => value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`])
  return own.length === 0 ? '' : `?${own.join('&')}`
}

/** Lets the query that came go along to a page. @param search with its question mark; numbers in it count nothing */
export function addSearch(address: string, search: string): string {
  const kept = search.replace(/^\?/, '').split('&').filter((pair) => pair !== '' && !isOurs(pair))
  return kept.length === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}${kept.join('&')}`
}

/** Names are compared as a reader of the query decodes them. */
const isOurs = (pair: string): boolean => {
  const [name] = new URLSearchParams(pair).keys()
  return Object.values(parameters).some((own) => name !== undefined && (name === own || name.startsWith(`${own}[`)))
}

/** Reads what a page was told to have been scanned; what cannot stand in a Digital Link was never printed. */
export function scannedNumbers(query: { '10'?: string; '21'?: string }): ScannedNumbers {
  const { '10': batch = '', '21': serial = '' } = query
  return { ...(isDigitalLinkValue(batch) && { batch }), ...(isDigitalLinkValue(serial) && { serial }) }
}
