import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import {
  createEncodingStream,
  isCompressible,
  negotiateCoding,
  removeRepresentationMarks,
  toCodedEtag,
} from '../../../../core/http/coding/content-coding.ts'

describe('Accept-Encoding: the coding of an answer', () => {
  it('is the one that the caller prefers, br of two equal ones, and none that is not accepted', () => {
    for (const [accepted, coding] of [
      [undefined, null],
      ['', null],
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['BR', 'br'],
      ['gzip, br', 'br'],
      ['gzip;q=0.8, br;q=0.5', 'gzip'],
      ['gzip;q=0.5, br;q=0.5', 'br'],
      ['*', 'br'],
      ['*;q=0.5, br;q=0', 'gzip'],
      ['*;q=0', null],
      ['deflate, identity', null],
      ['gzip;q=0', null],
      ['gzip;q=0.5, identity', null],
      ['gzip;q=0.5, identity;q=0.5', 'gzip'],
      ['gzip;q=2', null],
    ] as const)
      expect(negotiateCoding(accepted), accepted).to.equal(coding)
  })

  it('is for text in some form, and for no event stream', () => {
    for (const type of [
      'text/html; charset=utf-8',
      'text/csv',
      'application/json',
      'application/problem+json; charset=utf-8',
      'application/vc+jwt',
      'application/vc',
      'application/vc; a=b',
      'application/xml',
      'application/javascript',
      'application/yaml',
      'image/svg+xml',
      'APPLICATION/JSON',
    ])
      expect(isCompressible(type), type).to.equal(true)
    for (const type of [
      'text/event-stream',
      'text/event-stream; charset=utf-8',
      'image/png',
      'application/octet-stream',
      'application/vcf',
      'application/pdf',
      'a text/html',
      '',
    ])
      expect(isCompressible(type), type).to.equal(false)
  })

  it('is that of the bytes that are streamed', async () => {
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const stream = createEncodingStream(coding)
      stream.end('a text')
      expect(decode(await buffer(stream)).toString(), coding).to.equal('a text')
    }
  })

  it('has ETags of its own, which name the same version in If-Match', () => {
    expect([toCodedEtag('"a"', 'br'), toCodedEtag('"a"', 'gzip'), toCodedEtag('"a"', null)]).to.deep.equal([
      '"a.br"',
      '"a.gzip"',
      '"a"',
    ])
    expect(toCodedEtag('W/"a"', 'br')).to.equal('W/"a"')
    expect(removeRepresentationMarks('"a.br", "b.gzip", "c", "d.brx", "e.br.gzip"')).to.equal(
      '"a", "b", "c", "d.brx", "e.br"',
    )
  })
})
