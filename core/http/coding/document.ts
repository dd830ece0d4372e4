import type { Context as KoaContext } from 'koa'
import { etagMatches, etagOf } from '../present.ts'
import { codedTag, codingFor, encodeBytes, type Coding } from './coding.ts'

/** The description of the API as it is sent: coded once, when the process starts, and kept in memory in every form. */
export class DocumentForms {
  readonly #etag: string
  readonly #plain: Buffer
  readonly #coded: Record<Coding, Promise<Buffer>>

  constructor(document: string) {
    this.#etag = etagOf(document)
    this.#plain = Buffer.from(document)
    this.#coded = { br: encodeBytes('br', this.#plain, true), gzip: encodeBytes('gzip', this.#plain, true) }
  }

  async write(ctx: KoaContext): Promise<void> {
    const coding = codingFor(ctx.req.headers['accept-encoding'])
    const etag = codedTag(this.#etag, coding)
    ctx.vary('Accept-Encoding')
    ctx.set({ ETag: etag, 'Cache-Control': 'public, max-age=60', 'Access-Control-Allow-Origin': '*' })
    const known = ctx.req.headers['if-none-match']
    if (known !== undefined && etagMatches(known, etag, true)) {
      ctx.status = 304
      return
    }
    ctx.body = coding === null ? this.#plain : await this.#coded[coding]
    ctx.type = 'application/json; charset=utf-8'
    if (coding !== null) ctx.set('Content-Encoding', coding)
  }
}
