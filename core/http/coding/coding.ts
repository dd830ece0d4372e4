import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib'

/** How an answer may be coded, the better one first. Source: RFC 9110, section 8.4.1; RFC 7932. */
export type Coding = 'br' | 'gzip'

/** Bytes up to which an answer goes as it is: the head around it would outweigh what is saved. */
export const minCodedBytes = 1024

/** Settings for answers that are made for one reader, who waits: most of the gain for a tenth of the time. */
const quick: { br: BrotliOptions; gzip: ZlibOptions } = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  gzip: { level: 5 },
}
/** Settings for what is coded once and sent often. */
const thorough: typeof quick = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } },
  gzip: { level: 9 },
}

const compress = { br: promisify<Buffer, BrotliOptions, Buffer>(brotliCompress), gzip: promisify<Buffer, ZlibOptions, Buffer>(gzip) }

/** Codes bytes in a thread of the pool. */
export const encodeBytes = (coding: Coding, body: Buffer, isOften = false): Promise<Buffer> =>
  coding === 'br' ? compress.br(body, (isOften ? thorough : quick).br) : compress.gzip(body, (isOften ? thorough : quick).gzip)

/** What codes a stream while it passes. */
export const encodingStream = (coding: Coding) => coding === 'br' ? createBrotliCompress(quick.br) : createGzip(quick.gzip)

/** Media types that become smaller: text in one form or another. Streams of events are read as they come. */
export const isCodable = (type: string): boolean =>
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*(?:json|xml|jwt)|vc(?:;|$)|javascript|yaml)|image\/svg\+xml)/i.test(type)

/**
 * The coding that a caller likes best: of two that it likes the same, the smaller one. Null for none, and for who says
 * nothing about it. Source: RFC 9110, section 12.5.3.
 */
export function codingFor(accepted: string | undefined): Coding | null {
  if (accepted === undefined) return null
  const weights = new Map(accepted.toLowerCase().split(',').map(weighted))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [br, gzip, plain] = [weightOf('br'), weightOf('gzip'), weights.get('identity') ?? 0]
  const coding = br >= gzip ? 'br' : 'gzip'
  return Math.max(br, gzip) > 0 && Math.max(br, gzip) >= plain ? coding : null
}

function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
  const weight = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1)
  return [name, weight >= 0 && weight <= 1 ? weight : 0]
}

/** The strong validator of a coded representation: each coding has bytes of its own. Source: RFC 9110, section 8.8.3.3. */
export const codedTag = (etag: string, coding: Coding | null): string =>
  coding === null || etag.startsWith('W/') ? etag : `${etag.slice(0, -1)}.${coding}"`

/** Validators without the mark of their coding: `If-Match` asks for a version, however it came. */
export const plainTags = (header: string): string => header.replaceAll(/\.(?:br|gzip)(?=")/g, '')
