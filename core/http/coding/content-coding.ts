import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type BrotliOptions,
  type ZlibOptions,
} from 'node:zlib'
import { parsePreferences } from '../../kernel/text/accept-header.ts'

/** A content coding of answers. Source: RFC 9110, section 8.4.1; RFC 7932. */
export type ContentCoding = 'br' | 'gzip'

/** Size in bytes up to which an answer is not compressed, because the overhead would exceed the gain. */
export const minEncodedBytes = 1024

/** Settings for an answer to one waiting client: most of the gain for a tenth of the time. */
const fastSettings: { br: BrotliOptions; gzip: ZlibOptions } = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  gzip: { level: 5 },
}
/** Settings for content that is compressed once and sent often. */
const strongSettings: typeof fastSettings = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } },
  gzip: { level: 9 },
}
/** Settings for a file of that kind that is so small that the strongest compression takes no time that anybody notices. */
const strongestSettings: typeof fastSettings = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } },
  gzip: { level: 9 },
}
const maxStrongestBytes = 65_536

const chooseSettings = ({ length }: Buffer, isSentOften: boolean): typeof fastSettings => {
  if (!isSentOften) return fastSettings
  return length <= maxStrongestBytes ? strongestSettings : strongSettings
}

const compress = {
  br: promisify<Buffer, BrotliOptions, Buffer>(brotliCompress),
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gzip),
}

/** Compresses bytes in a thread of Node's pool. */
export function encodeBytes(
  coding: ContentCoding,
  body: Buffer,
  { isSentOften = false }: { isSentOften?: boolean } = {},
): Promise<Buffer> {
  const settings = chooseSettings(body, isSentOften)
  return coding === 'br' ? compress.br(body, settings.br) : compress.gzip(body, settings.gzip)
}

/** Creates a stream that compresses what passes through it. */
export const createEncodingStream = (coding: ContentCoding) =>
  coding === 'br' ? createBrotliCompress(fastSettings.br) : createGzip(fastSettings.gzip)

/**
 * Checks whether a media type is text in some form, which compression makes smaller. Event streams are not compressed,
 * because clients read them as they arrive.
 */
export const isCompressible = (type: string): boolean =>
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*(?:json|xml|jwt)|vc(?:;|$)|javascript|yaml)|image\/svg\+xml)/i.test(
    type,
  )

/**
 * Returns the coding that the caller prefers, and `br` if it prefers both equally, because its result is smaller.
 * Returns null if the caller accepts none or sends no Accept-Encoding. Source: RFC 9110, section 12.5.3.
 */
export function negotiateCoding(accepted: string | undefined): ContentCoding | null {
  if (accepted === undefined) return null
  const weights = new Map(parsePreferences(accepted).map(({ name, quality }) => [name, quality]))
  const getWeight = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [br, gzip, plain] = [getWeight('br'), getWeight('gzip'), weights.get('identity') ?? 0]
  const coding = br >= gzip ? 'br' : 'gzip'
  return Math.max(br, gzip) > 0 && Math.max(br, gzip) >= plain ? coding : null
}

/**
 * Returns the strong ETag of a compressed representation, because its bytes differ by coding. Source: RFC 9110, section
 * 8.8.3.3.
 */
export const toCodedEtag = (etag: string, coding: ContentCoding | null): string =>
  coding === null || etag.startsWith('W/') ? etag : `${etag.slice(0, -1)}.${coding}"`

/** Returns the strong ETag of some members of an entity: that of the whole entity, marked with what was selected. */
export const toSelectedEtag = (etag: string, selectionHash: string): string =>
  `${etag.slice(0, -1)}.f-${selectionHash}"`

/**
 * Removes the coding and the selection of members from the ETags of a header: `If-Match` names a version of the entity,
 * whatever was sent of it and in whatever coding.
 */
export const removeRepresentationMarks = (header: string): string =>
  header.replaceAll(/(?:\.f-[\w-]{8})?(?:\.(?:br|gzip))?(?=")/g, '')
