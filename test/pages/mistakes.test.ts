import { expect } from 'chai'
import { problemPages } from '../../core/pages/index.ts'
import { languages, words } from '../../core/languages/index.ts'
import { createApiClient } from '../support/client.ts'

/** What no route matches is not in the document. */
const skipsDocumentCheck = true
/** What browsers send when somebody opens an address. */
const navigation = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' }
const absent = '00000000-0000-4000-8000-000000000000'

const open = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await createApiClient().get(path, { headers: { ...navigation, ...headers }, skipsDocumentCheck })
  const find = (pattern: RegExp) => pattern.exec(answer.text)?.[1]
  return {
    ...answer,
    heading: find(/<h1>([^<]*)/),
    way: find(/<a class="button" href="([^"]*)"/),
    language: find(/<html lang="(..)"/),
  }
}

describe('Pages for mistakes', () => {
  it('answer an address that there is not with a page for browsers, and problem details for programs', async () => {
    for (const [path, way] of [
      ['/nothing', '/'],
      ['/p', '/'],
      ['/me/nothing', '/'],
      ['/console/nothing', '/console'],
      ['/docs/nothing', '/docs'],
      ['/v1/nothing', '/docs'],
      ['/.env', '/'],
    ] as const) {
      const page = await open(path)
      expect([page.status, page.headers['content-type'], page.way], path).to.deep.equal([
        404,
        'text/html; charset=utf-8',
        way,
      ])
      expect(page.headers['vary'], path).to.include('Accept')
      for (const accept of ['*/*', 'application/json', 'application/problem+json, text/html;q=0.5']) {
        const { status, headers } = await createApiClient().get(path, { headers: { accept }, skipsDocumentCheck })
        expect([status, headers['content-type']], `${path} as ${accept}`).to.deep.equal([
          404,
          'application/problem+json; charset=utf-8',
        ])
      }
    }
  })

  it('say to who scanned a code that the product is not known, in their language, with a way on', async () => {
    for (const path of ['/p/nothing', `/p/${absent}`, '/p/%'])
      for (const language of languages) {
        const { status, heading, text, way, ...page } = await open(path, { 'accept-language': language })
        const { product } = words[language].problems
        expect([heading, way, page.language], `${path} ${status}`).to.deep.equal([product.heading, '/', language])
        expect(text)
          .to.include(product.message.replaceAll("'", '&#39;'))
          .and.not.to.match(/uuid|must match/)
      }
  })

  it('are in the language that the address names, and lead to the same address in the others', async () => {
    const { language, text, headers } = await open('/nothing?x=1&lang=de', { 'accept-language': 'fr' })
    expect([language, headers['content-language']]).to.deep.equal(['de', 'de'])
    expect(text).to.include('href="/nothing?x=1&amp;lang=fr"').and.not.to.include('lang=de&amp;lang')
  })

  it('write nothing of the address that could lead elsewhere, or run', async () => {
    for (const path of [
      '//evil.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E',
      '/%5C%5Cevil.example',
      '//evil.example/p/',
    ]) {
      const { status, text } = await open(path)
      expect(status, path).to.be.oneOf([400, 404])
      expect(text, path).not.to.match(/<script|href="(\/\/|\/?\\)|evil\.example"/)
    }
  })

  it('are not stored, framed, or indexed as content', async () => {
    const { headers } = await open('/nothing')
    expect(headers['cache-control']).to.equal('no-store')
    expect(headers['content-security-policy']).to.include("default-src 'none'").and.to.include("frame-ancestors 'none'")
  })

  it('have words and a way on for every status, in every language', () => {
    const show = (status: number, path: string, method = 'GET', language = 'en') =>
      problemPages.renderProblem(
        { status, headers: { 'Retry-After': '5' }, body: { detail: 'A "detail" & <b>', requestId: 'r<1>' } },
        { method, path, search: '?a=1', headers: { 'accept-language': language } },
        'public',
      )
    for (const language of languages)
      for (const status of [400, 401, 403, 404, 406, 408, 409, 410, 413, 415, 422, 429, 499, 500, 501, 502, 503]) {
        const { body, headers, status: shown } = show(status, '/me', 'GET', language)
        expect([shown, headers?.['Retry-After'], headers?.['Content-Language']]).to.deep.equal([status, '5', language])
        const isPassing = [408, 429, 500, 502, 503].includes(status)
        expect(body, `${status} ${language}`)
          .to.match(isPassing ? /class="button" href="\/me\?a=1"/ : /class="button" href="\/"/)
          .and.to.match(/<h1>[^<]{5,}<\/h1>\n<p>[^<]{10,}<\/p>/)
          .and.to.include('r&lt;1&gt;')
          .and.not.to.include('detail')
      }
    expect(show(503, '/me', 'POST').body, 'a form is not sent again by a link').to.include('class="button" href="/"')
    expect(show(503, '//evil.example').body).not.to.include('evil.example')
  })

  it('tell members the detail, which may say what to do', () => {
    const show = (status: number, cookie: string) =>
      problemPages.renderProblem(
        { status, headers: {}, body: { detail: 'Ask <an owner>.', requestId: 'r' } },
        { method: 'GET', path: '/console/keys', search: '', headers: { cookie, 'accept-language': 'de' } },
        'member',
      )
    expect(show(403, '').body).to.include('<p lang="en">Ask &lt;an owner&gt;.</p>').and.to.include('<html lang="en">')
    expect(show(403, 'tessera.language=fr').body).to.include('<html lang="fr">').and.to.include('Accès refusé')
    for (const status of [404, 500, 503]) expect(show(status, '').body).not.to.include('an owner')
  })
})
