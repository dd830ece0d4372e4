import type { Context as KoaContext } from 'koa'
import { etagMatches, createEtag } from '../pipeline/present-value.ts'
import { toCodedEtag, negotiateCoding, encodeBytes, type ContentCoding } from './content-coding.ts'

/** The OpenAPI document, compressed once when the process starts and kept in memory in every coding. */
export class EncodedDocument {
  readonly #etag: string
  readonly #plainBytes: Buffer
  readonly #coded: Record<ContentCoding, Promise<Buffer>>

  constructor(document: string) {
    this.#etag = createEtag(document)
    this.#plainBytes = Buffer.from(document)
    const often = { isSentOften: true }
    this.#coded = { br: encodeBytes('br', this.#plainBytes, often), gzip: encodeBytes('gzip', this.#plainBytes, often) }
  }

  async write(ctx: KoaContext): Promise<void> {
    const coding = negotiateCoding(ctx.req.headers['accept-encoding'])
    const etag = toCodedEtag(this.#etag, coding)
    ctx.vary('Accept-Encoding')
    ctx.set({ ETag: etag, 'Cache-Control': 'public, max-age=60', 'Access-Control-Allow-Origin': '*' })
    const ifNoneMatch = ctx.req.headers['if-none-match']
    if (ifNoneMatch !== undefined && etagMatches(ifNoneMatch, etag, true)) {
      ctx.status = 304
      return
    }
    ctx.body = coding === null ? this.#plainBytes : await this.#coded[coding]
    ctx.type = 'application/json; charset=utf-8'
    if (coding !== null) ctx.set('Content-Encoding', coding)
  }
}
