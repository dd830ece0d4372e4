import { expect } from 'chai'
import type { Context as KoaContext } from 'koa'
import { pino } from 'pino'
import { problemMediaType, toProblemAnswer, writeProblem } from '../../../../core/http/problems/problems.ts'

/** An answer that keeps what is written to it. */
function createAnswer(querystring = '', acceptLanguage = '') {
  const headers: Record<string, string> = {}
  const varying: string[] = []
  const answer = {
    status: 0,
    body: '',
    type: '',
    headers,
    varying,
    querystring,
    get: (name: string) => (name.toLowerCase() === 'accept-language' ? acceptLanguage : ''),
    set: (fields: Record<string, string>) => void Object.assign(headers, fields),
    vary: (name: string) => void varying.push(name),
  }
  return { answer, ctx: answer as unknown as KoaContext }
}

const problem = (status: number, detail: string) => ({
  status,
  headers: { 'Retry-After': '5' },
  body: { title: 'Its title', detail, requestId: 'r<1>' },
})

describe('Problems: what is written', () => {
  it('is JSON of its own type, with status and headers', () => {
    const { answer, ctx } = createAnswer()
    writeProblem(ctx, problem(409, 'None.'))
    expect([answer.status, answer.headers, answer.type]).to.deep.equal([409, { 'Retry-After': '5' }, problemMediaType])
    expect(JSON.parse(answer.body)).to.deep.equal({ title: 'Its title', detail: 'None.', requestId: 'r<1>' })
  })

  it('does not call every error with a cause a part that is away', () => {
    const answer = (cause: unknown) =>
      toProblemAnswer(new Error('failed', { cause }), {
        instance: '/',
        requestId: 'r',
        baseUrl: '',
        log: pino({ level: 'silent' }),
      }).status
    expect(answer(new Error('of our own'))).to.equal(500)
    expect(answer(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))).to.equal(503)
  })
})
