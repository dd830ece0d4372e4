import { expect } from 'chai'
import { pino } from 'pino'
import { toProblemAnswer } from '../../../../core/http/problems/problems.ts'
import { OverloadedError } from '../../../../core/kernel/overloaded.ts'
import { createProblem } from '../../../../core/kernel/problem.ts'
import { UnavailableError } from '../../../../core/kernel/unavailable.ts'

const withCode = (code: string) => Object.assign(new Error('failed'), { code })
const withName = (name: string) => Object.assign(new Error('failed'), { name })

describe('Problems: the answer to an error', () => {
  let lines: { msg: string; requestId: string; instance: string; err: { message: string } }[]
  const answer = (error: unknown) => {
    lines = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) })
    return toProblemAnswer(error, { instance: '/v1/a', requestId: 'r', baseUrl: 'https://tessera.example', log })
  }

  it('is that of the problem, with its code, what is wrong with the request, and its headers', () => {
    const problem = createProblem('INVALID_REQUEST', 'The size is wrong.', {
      path: 'size',
      extra: { existing: 'x' },
      headers: { 'Retry-After': '5' },
    })
    expect(answer(problem)).to.deep.equal({
      status: 400,
      headers: { 'Retry-After': '5' },
      body: {
        type: 'https://tessera.example/problems/INVALID_REQUEST',
        title: 'Invalid request',
        status: 400,
        detail: 'The size is wrong.',
        instance: '/v1/a',
        code: 'INVALID_REQUEST',
        errors: [{ path: 'size', code: 'invalid_request', message: 'The size is wrong.' }],
        existing: 'x',
        requestId: 'r',
      },
    })
    expect(lines).to.deep.equal([])
  })

  it('has at most 1,000 characters a sentence and 500 a path, which may quote a long request', () => {
    const long = createProblem('INVALID_REQUEST', 'd'.repeat(1_001), {
      errors: [{ path: 'p'.repeat(501), code: 'type', message: 'm'.repeat(1_001) }],
    })
    const { detail, errors } = answer(long).body
    expect(detail).to.equal(`${'d'.repeat(999)}…`)
    expect(errors).to.deep.equal([{ path: `${'p'.repeat(499)}…`, code: 'type', message: `${'m'.repeat(999)}…` }])
    const sentence = 'd'.repeat(1_000)
    expect(answer(createProblem('INVALID_REQUEST', sentence)).body['detail']).to.equal(sentence)
  })

  it('is named with its code where a process writes it as text', () => {
    expect(`${createProblem('NOT_FOUND', 'None.')}`).to.equal('ProblemError: NOT_FOUND: None.')
  })

  it('says with 401 how to authenticate, and has no list where nothing is wrong at a path', () => {
    const { headers, body } = answer(createProblem('AUTH_UNAUTHENTICATED', 'No key.'))
    expect([headers, 'errors' in body]).to.deep.equal([{ 'WWW-Authenticate': 'Bearer' }, false])
    expect(answer(createProblem('NOT_FOUND', 'None.')).headers).to.deep.equal({})
  })

  it('is 503 with the time to come back when there is no capacity, and nothing in the log', () => {
    expect(answer(new OverloadedError('Too many.', 7))).to.deep.equal({
      status: 503,
      headers: { 'Retry-After': '7' },
      body: {
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        instance: '/v1/a',
        requestId: 'r',
        detail: 'Too many.',
      },
    })
    expect(lines).to.deep.equal([])
  })

  it('is 500 for every other error, whose cause stands in the log alone', () => {
    for (const error of [new Error('the secret cause'), withCode('23505'), withCode('ENOENT'), 'a text', undefined]) {
      expect(answer(error)).to.deep.equal({
        status: 500,
        headers: {},
        body: {
          type: 'about:blank',
          title: 'Internal Server Error',
          status: 500,
          instance: '/v1/a',
          requestId: 'r',
          detail: 'Something failed on our side. The log has it under the request id.',
        },
      })
      expect(lines.map(({ msg, requestId, instance }) => [msg, requestId, instance])).to.deep.equal([
        ['request failed', 'r', '/v1/a'],
      ])
    }
  })

  it('is 503 when a part of the platform is away, however deep that is said', () => {
    for (const error of [
      ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'UND_ERR_SOCKET'].map(
        withCode,
      ),
      ...['08006', '53300', '57014', '57P01', '25P03', '40P01', '40001'].map(withCode),
      ...['KnexTimeoutError', 'SignerUnreachableError', 'IpfsUnreachableError'].map(withName),
      ...[
        'Connection terminated unexpectedly',
        'Connection ended',
        'Client has encountered a connection error and is not queryable',
        'Query read timeout',
        'timeout exceeded when trying to connect',
      ].map((message) => new Error(message)),
      new Error('outer', { cause: new Error('inner', { cause: withCode('EPIPE') }) }),
      Object.assign(new Error('outer'), { nativeError: withCode('57P01') }),
    ]) {
      const { status, headers, body } = answer(error)
      expect([status, headers, body['title'], body['detail']], String(error)).to.deep.equal([
        503,
        { 'Retry-After': '2' },
        'Service Unavailable',
        'A part of the platform does not answer. Try again shortly.',
      ])
      expect(lines.map(({ msg }) => msg)).to.deep.equal(['a part of the platform is away'])
    }
    const unavailable = answer(new UnavailableError('There is no signer here.'))
    expect([unavailable.status, unavailable.body['detail']]).to.deep.equal([503, 'There is no signer here.'])
  })

  it('is 500 for an error that names itself as its cause in the driver', () => {
    const error = new Error('failed')
    expect(answer(Object.assign(error, { nativeError: error })).status).to.equal(500)
  })
})
