import { expect } from 'chai'
import fc from 'fast-check'
import { isMultipartMixed, parseParts } from '../../../tools/results/multipart.ts'

const type = 'multipart/mixed; boundary=x'
const body = (...lines: string[]) => Buffer.from(lines.join('\r\n'), 'latin1')
const shown = (mediaType: string, bytes: Uint8Array) =>
  parseParts(mediaType, bytes)?.map((part) => [part.mediaType, Buffer.from(part.bytes).toString('latin1')])

describe('tools/multipart: a body of several parts', () => {
  it('is taken apart in order, each part with its own media type', () => {
    const table = ['--x', 'Content-Type: text/csv; charset=utf-8', '', 'a,b', '1,2']
    const bytes = body(...table, '--x', 'content-type:image/png', '', '\x89', '--x--', '')
    expect(shown(type, bytes)).to.deep.equal([
      ['text/csv; charset=utf-8', 'a,b\r\n1,2'],
      ['image/png', '\x89'],
    ])
  })

  it('may have words before and after it, padding, empty parts and parts without headers', () => {
    const parts = ['--x \t', '', 'bare', '--x', '', '', '--x', 'X-Other: 1', '', '', '--x--  ']
    const bytes = body('hello', ...parts, 'bye', '--x', '', 'no', '--x--')
    expect(shown(type, bytes)).to.deep.equal([
      ['text/plain', 'bare'],
      ['text/plain', ''],
      ['text/plain', ''],
    ])
  })

  it('may have parts that are nothing but headers', () => {
    const bytes = body('--x', 'Content-Type: a/b', '', '--x', '', '--x', '', 'a', '--x--')
    expect(shown(type, bytes)).to.deep.equal([
      ['a/b', ''],
      ['text/plain', ''],
      ['text/plain', 'a'],
    ])
  })

  it('ends a part only at a line of the whole boundary', () => {
    const bytes = body('--x', '', 'a--x', ' --x', '--xy', '--x-', '--x--')
    expect(shown(type, bytes)).to.deep.equal([['text/plain', 'a--x\r\n --x\r\n--xy\r\n--x-']])
  })

  it('keeps every byte of every part', () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 32 })
    fc.assert(
      fc.property(parts, (wanted) => {
        const boundary = 'never-in-random-bytes-0123456789'
        const head = Buffer.from(`--${boundary}\r\nContent-Type: a/b\r\n\r\n`)
        const bytes = Buffer.concat([
          ...wanted.flatMap((part) => [head, part, Buffer.from('\r\n')]),
          Buffer.from(`--${boundary}--`),
        ])
        const found = parseParts(`multipart/mixed; boundary="${boundary}"`, bytes) ?? []
        expect(found.map((part) => Buffer.from(part.bytes).toString('hex'))).to.deep.equal(
          wanted.map((part) => Buffer.from(part).toString('hex')),
        )
      }),
    )
  })

  for (const [what, mediaType, bytes] of [
    ['names no boundary', 'multipart/mixed', body('--x', '', 'a', '--x--')],
    ['names a boundary that cannot be one', 'multipart/mixed; boundary="x "', body('--x ', '', 'a', '--x --')],
    ['has no part', type, body('--x--')],
    ['has no end', type, body('--x', '', 'a', '--x', '', 'b')],
    ['has headers that are none', type, body('--x', 'no colon', '', 'a', '--x--')],
    ['is encoded', type, body('--x', 'Content-Transfer-Encoding: base64', '', 'YQ==', '--x--')],
    ['has 33 parts', type, body(...Array.from({ length: 33 }, () => '--x\r\n\r\na'), '--x--')],
  ] as const)
    it(`is not taken apart where it ${what}`, () => expect(parseParts(mediaType, bytes)).to.equal(null))

  it('is known by its media type', () => {
    expect(['multipart/mixed', 'Multipart/Mixed;boundary=x', 'multipart/mixed ; a=b'].every(isMultipartMixed)).to.equal(
      true,
    )
    expect(['multipart/form-data; boundary=x', 'multipart/mixedly', 'text/plain'].some(isMultipartMixed)).to.equal(
      false,
    )
  })
})
