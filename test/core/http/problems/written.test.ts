import { expect } from 'chai'
import type { Context as KoaContext } from 'koa'
import { pino } from 'pino'
import { renderProblemPage, writeProblemPage } from '../../../../core/http/problems/problem.page.ts'
import { languages } from '../../../../core/languages/index.ts'
import { findProblemWords } from '../../../../core/http/problems/problem.words.ts'
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

describe('Problem pages: what is written', () => {
  const write = (page: true | 'member', status: number, querystring = '', acceptLanguage = '') => {
    const { answer, ctx } = createAnswer(querystring, acceptLanguage)
    writeProblemPage(ctx, problem(status, 'A "detail" & <b>'), page)
    return answer
  }

  it('is a page that is not stored, nor framed, with the words of the problem', () => {
    const { status, body, type, headers, varying } = write(true, 409)
    expect([status, type, varying]).to.deep.equal([409, 'text/html; charset=utf-8', ['Accept-Language']])
    expect(headers).to.deep.equal({
      'Retry-After': '5',
      'Content-Security-Policy': "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
      'Cache-Control': 'no-store',
      'Content-Language': 'en',
    })
    expect(body).to.include('<html lang="en">').and.to.include('<h1>Its title</h1>')
    expect(body).to.include('<p>A &quot;detail&quot; &amp; &lt;b&gt;</p><p class="quiet">Request r&lt;1&gt;</p>')
  })

  it('is in the language of the address, or else of the browser, and in English for members', () => {
    const headings = { en: 'Its title', fr: 'Introuvable', de: 'Nicht gefunden', es: 'Página no encontrada' }
    for (const [page, querystring, accepted, language] of [
      [true, 'lang=fr', 'en', 'fr'],
      [true, 'lang=en', 'fr', 'en'],
      [true, 'lang=xx', 'fr', 'fr'],
      [true, 'lang=de', 'fr', 'de'],
      [true, '', 'es-MX, fr;q=0.5', 'es'],
      [true, '', 'fr-CA', 'fr'],
      [true, '', '', 'en'],
      ['member', 'lang=fr', 'fr', 'en'],
    ] as const) {
      const { body, headers } = write(page, 404, querystring, accepted)
      expect([headers['Content-Language'], /lang="(..)"/.exec(body)?.[1]]).to.deep.equal([language, language])
      expect(body).to.include(`<h1>${headings[language]}</h1>`)
    }
  })

  it('says nothing in English on a page in another language', () => {
    const { body } = write(true, 409, 'lang=fr')
    expect(body).to.include('<h1>Impossible en ce moment</h1><p>Rechargez la page, puis réessayez.</p>')
    expect(body).to.include('<p class="quiet">Demande r&lt;1&gt;</p>').and.not.to.include('detail')
  })

  it('has words for every status', () => {
    for (const language of languages.filter((each) => each !== 'en')) {
      const find = (status: number) => findProblemWords(status, language)
      const headings = [400, 401, 403, 404, 406, 408, 409, 413, 415, 422, 429, 500, 503].map(
        (status) => find(status)?.heading,
      )
      expect(headings.every(Boolean)).to.equal(true)
      expect(new Set(headings).size).to.equal(headings.length)
      for (const [status, like] of [
        [410, 400],
        [499, 400],
        [501, 500],
        [599, 500],
      ] as const)
        expect(find(status), `${language} ${status}`).to.deep.equal(find(like))
    }
    expect([400, 404, 500].map((status) => findProblemWords(status, 'en'))).to.deep.equal([null, null, null])
  })

  it('explains each code, and none that is unknown', () => {
    expect(renderProblemPage('INVALID_REQUEST')).to.include('<code>INVALID_REQUEST</code>, status 400.')
    expect(renderProblemPage('INVALID_REQUEST')).to.include('<html lang="en">')
    for (const code of ['UNKNOWN', 'toString', '']) expect(renderProblemPage(code), code).to.equal(null)
  })
})
