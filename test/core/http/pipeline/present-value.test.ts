import { Readable } from 'node:stream'
import { expect } from 'chai'
import {
  createEtag,
  etagMatches,
  getSuccessStatus,
  presentValue,
} from '../../../../core/http/pipeline/present-value.ts'
import {
  answerBytes,
  answerEvents,
  answerJson,
  answerRedirect,
  answerStream,
  answerText,
} from '../../../../core/kernel/answer.ts'
import type { OperationDeclaration } from '../../../../core/kernel/operation.ts'

const declare = (parts: object, transport: object = {}) =>
  ({ id: 'do_v1', method: 'GET', returns: { 200: {} }, transport, ...parts }) as unknown as OperationDeclaration
const json = 'application/json; charset=utf-8'
const own = { 'Cache-Control': 'no-store' }

describe('Answers of handlers', () => {
  it('have the smallest declared status and the headers of the operation', () => {
    expect(presentValue(declare({ returns: { 202: {}, 201: {} } }, { headers: own }), { a: 1 })).to.deep.equal({
      status: 201,
      headers: { ...own, 'Content-Type': json },
      body: '{"a":1}',
    })
    expect(presentValue(declare({ returns: { 204: null } }, { headers: own }), undefined)).to.deep.equal({
      status: 204,
      headers: own,
      body: null,
    })
    expect(() => getSuccessStatus(declare({ returns: {} }))).to.throw('do_v1 declares no answer')
  })

  it('may choose their status and headers', () => {
    const declaration = declare({ returns: { 200: {}, 202: {} } }, { headers: own })
    expect(presentValue(declaration, answerJson({ a: 1 }, { 'Set-Cookie': 'b' }, 202))).to.deep.equal({
      status: 202,
      headers: { ...own, 'Set-Cookie': 'b', 'Content-Type': json },
      body: '{"a":1}',
    })
    expect(presentValue(declaration, answerText('a', 'text/html', { 'X-A': 'b' }, 410))).to.deep.equal({
      status: 410,
      headers: { ...own, 'Content-Type': 'text/html', 'X-A': 'b' },
      body: 'a',
    })
    expect(presentValue(declaration, answerText('a', 'text/html')).status).to.equal(200)
    expect(presentValue(declaration, answerRedirect('/b', { 'X-A': 'b' }))).to.deep.equal({
      status: 302,
      headers: { ...own, 'X-A': 'b', Location: '/b' },
      body: null,
    })
    expect(presentValue(declaration, answerRedirect('/b', {}, 303)).status).to.equal(303)
    const stream = Readable.from(['a'])
    expect(presentValue(declaration, answerStream(stream, 'text/csv', { 'X-A': 'b' }))).to.deep.equal({
      status: 200,
      headers: { ...own, 'Content-Type': 'text/csv', 'X-A': 'b' },
      body: stream,
    })
    const events = answerEvents({ read: async () => null, subscribe: () => () => undefined })
    expect(() => presentValue(declaration, events)).to.throw('written by the events module')
  })

  it('lead to what was created, or to the job that was started', () => {
    const located = { location: ({ id }: { id: string }) => `/v1/things/${id}` }
    for (const [declaration, value, location] of [
      [declare({ returns: { 201: {} } }, located), { id: 'a' }, '/v1/things/a'],
      [declare({ returns: { 202: {} } }, located), { id: 'a', jobId: 'j' }, '/v1/things/a'],
      [declare({ returns: { 202: {} } }), { jobId: 'j' }, '/v1/jobs/j'],
      [declare({ returns: { 202: {} } }), { id: 'a' }, undefined],
      [declare({ returns: { 202: {} } }), { jobId: 5 }, undefined],
      [declare({ returns: { 200: {} } }), { jobId: 'j' }, undefined],
    ] as const)
      expect(presentValue(declaration, value).headers['Location'], JSON.stringify(value)).to.equal(location)
  })

  it('have an ETag where the operation declares one, except that of a deletion or of a further status', () => {
    const hasEtag = { hasEtag: true }
    for (const [declaration, value, etag] of [
      [declare({}, hasEtag), { a: 1 }, createEtag('{"a":1}')],
      [declare({ method: 'PATCH' }, hasEtag), { a: 1 }, createEtag('{"a":1}')],
      [declare({ method: 'DELETE' }, hasEtag), { a: 1 }, undefined],
      [declare({ returns: { 200: {}, 201: {} } }, hasEtag), answerJson({ a: 1 }, {}, 201), undefined],
      [declare({}), { a: 1 }, undefined],
      [declare({}, hasEtag), answerText('a', 'text/html'), createEtag('a')],
      [declare({}), answerText('a', 'text/html'), undefined],
      [declare({}, hasEtag), answerBytes(Buffer.from('a'), 'image/png'), createEtag('image/png\na')],
      [declare({}), answerBytes(Buffer.from('a'), 'image/png'), undefined],
    ] as const)
      expect(presentValue(declaration, value).headers['ETag']).to.equal(etag)
    expect(createEtag('a')).to.match(/^"[A-Za-z0-9_-]{27}"$/)
    expect(createEtag('a')).to.equal(createEtag(Buffer.from('a')))
  })

  it('match a list of ETags, weak ones only where that is enough', () => {
    for (const [header, isStrongMatch, isWeakMatch] of [
      ['"a"', true, true],
      [' "b" ,  "a"', true, true],
      ['*', true, true],
      [' * ', true, true],
      ['W/"a"', false, true],
      ['"b", W/"a"', false, true],
      ['a', false, false],
      ['"A"', false, false],
      ['"b"', false, false],
      ['', false, false],
      ['"a', false, false],
      ['W/W/"a"', false, false],
    ] as const)
      expect([etagMatches(header, '"a"', false), etagMatches(header, '"a"', true)], header).to.deep.equal([
        isStrongMatch,
        isWeakMatch,
      ])
  })
})
