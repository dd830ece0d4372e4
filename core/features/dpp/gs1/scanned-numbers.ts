import { optional, string } from '../../../kernel/schema.ts'
import { isDigitalLinkValue } from '../content/index.ts'

/** The batch and serial number of a Digital Link, or those of them that are not registered. */
export interface ScannedNumbers {
  batch?: string
  serial?: string
}

/**
 * Finds the numbers of a link that no passport has, where the link led to this product: a serial number if it led to a
 * model or a batch, a batch number if it led to a model. An item without a batch number matches any batch number.
 */
export function findUnregisteredNumbers(
  { batch, serial }: ScannedNumbers,
  product: Record<string, unknown>,
): ScannedNumbers {
  const { idGranularity } = product
  return {
    ...(batch !== undefined && idGranularity === 'model' && { batch }),
    ...(serial !== undefined && idGranularity !== 'item' && { serial }),
  }
}

export const hasNoNumbers = (numbers: ScannedNumbers): boolean => Object.keys(numbers).length === 0

/**
 * The query parameters that tell a page which numbers were scanned: the application identifiers of GS1. The query of a
 * Digital Link never has them, because only other identifiers may stand there.
 * Source: GS1 Digital Link URI Syntax 1.x, section 4.11.
 */
const parameters = { batch: '10', serial: '21' } as const

/** The query parameters of a page that shows scanned numbers. */
export const scannedQuery = {
  [parameters.batch]: optional(
    string('Batch number that was scanned, where it is not registered.', { maxLength: 100 }),
  ),
  [parameters.serial]: optional(
    string('Serial number that was scanned, where it is not registered.', { maxLength: 100 }),
  ),
}

/**
 * Formats the query of a page that a link leads to although some of its numbers are not registered. The query has only
 * the numbers, never the result, so that the page looks them up and nobody can dictate what it says. Empty if there are
 * no numbers.
 */
export function formatScannedSearch({ batch, serial }: ScannedNumbers): string {
  const pairs = [
    [parameters.batch, batch],
    [parameters.serial, serial],
  ] as const
  const own = pairs.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
  return own.length === 0 ? '' : `?${own.join('&')}`
}

/**
 * Adds the query of a request to the address of a page.
 * @param search with its question mark; scanned numbers in it are removed
 */
export function addSearch(address: string, search: string): string {
  const kept = search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '' && !isScannedParameter(pair))
  return kept.length === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}${kept.join('&')}`
}

/**
 * Checks whether a pair of a query has the name of a scanned number, after decoding the name as a reader of the query
 * does.
 */
const isScannedParameter = (pair: string): boolean => {
  const [name] = new URLSearchParams(pair).keys()
  return Object.values(parameters).some((own) => name !== undefined && (name === own || name.startsWith(`${own}[`)))
}

/**
 * Parses the scanned numbers in the query of a page. It drops values that cannot stand in a Digital Link, because they
 * were never printed.
 */
export function parseScannedNumbers(query: { '10'?: string; '21'?: string }): ScannedNumbers {
  const { '10': batch = '', '21': serial = '' } = query
  return { ...(isDigitalLinkValue(batch) && { batch }), ...(isDigitalLinkValue(serial) && { serial }) }
}
