import type { ContentBlock } from '../results/blocks.ts'
import { formatByteRange } from '../results/text-parts.ts'

/** How long an answer is kept that no address of the API reads again, in minutes. */
export const keptMinutes = 10

const keptUriStart = 'tessera://answers/'

/** Returns the address of a kept answer. @param place the number of its place @param id 22 characters of base64url */
export const createKeptUri = (place: number, id: string) => `${keptUriStart}${place}-${id}`

/** Returns whether an address is one of a kept answer, which is its caller's alone. */
export const isKeptUri = (uri: string) => uri.startsWith(keptUriStart)

/** Parses the address of a kept answer without its range; null if it is none. */
export function parseKeptUri(uri: string): { place: number; id: string } | null {
  const [, place, id] = /^tessera:\/\/answers\/(\d{1,2})-([\w-]{22})$/.exec(uri) ?? []
  return place === undefined || id === undefined ? null : { place: Number(place), id }
}

/** Creates the link to what follows after the first `end` of `size` bytes of a kept answer. */
export function createKeptLink(uri: string, mimeType: string | null, end: number, size: number): ContentBlock {
  return {
    type: 'resource_link',
    uri: uri + formatByteRange(end),
    name: 'answer',
    description: `The rest, for ${keptMinutes} minutes. Any part can be read: #bytes=<first>-<last>.`,
    ...(mimeType !== null && { mimeType }),
    size: size - end,
  }
}
