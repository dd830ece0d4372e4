import { expect } from 'chai'
import { declareOperation } from '../../../../core/kernel/operation.ts'
import { createProblem, type ProblemError } from '../../../../core/kernel/problem.ts'
import { optional, string } from '../../../../core/kernel/schema.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { getOperator } from '../../identity/people.ts'
import { serveApi, type Api } from '../../queue/api.ts'

/** What the pages answer next; each test says it. */
let problem: ProblemError

const declarePage = (id: string, path: string, page: true | 'member') =>
  declareOperation({
    id,
    method: 'GET',
    path,
    access: 'public',
    query: { lang: optional(string('The language.')) },
    returns: { 200: { type: 'text/html', description: 'The page.' } },
    transport: { page },
    document: { tag: 'Tests', summary: 'A page' },
  }).withReadHandler(async () => {
    throw problem
  })

describe('Problems of pages for people', () => {
  let api: Api

  before(async () => {
    const pages = [declarePage('show_v1', '/show', true), declarePage('manage_v1', '/manage', 'member')]
    api = await serveApi(await getOperator(), pages)
  })
  after(() => api.stop())
  beforeEach(() => {
    problem = createProblem('NOT_FOUND', 'There is no <b> & no "c".')
  })

  const open = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    createApiClient({}, api.url).get(path, { headers, skipsDocumentCheck: true })
  const heading = ({ text }: Answer) => /<h1>(.*)<\/h1>/.exec(text)?.[1]

  it('are HTML that no cache keeps and no other site frames, with the id of the request', async () => {
    const answer = await open('/show', { 'x-request-id': 'abc' })
    expect(answer.status).to.equal(404)
    expect(answer.headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-language': 'en',
    })
    expect(answer.headers['content-security-policy']).to.match(/^default-src 'none';.* frame-ancestors 'none'$/)
    expect(answer.headers['vary']).to.match(/Accept-Language/)
    expect(answer.text)
      .to.contain('<html lang="en">')
      .and.to.contain('Request abc')
      .and.not.to.contain('There is no &lt;b&gt;')
    expect(heading(answer)).to.equal(/<title>(.*)<\/title>/.exec(answer.text)?.[1])
  })

  it('are in the language of the address, or else in that of the browser', async () => {
    const french = { 'accept-language': 'fr-CA, en;q=0.5' }
    const browser = await open('/show', french)
    expect([heading(browser), browser.headers['content-language']]).to.deep.equal(['Introuvable', 'fr'])
    expect(browser.text).to.contain('<html lang="fr">').and.to.contain('Demande ')
    expect(browser.text).to.not.contain('There is no')
    expect(heading(await open('/show?lang=FR'))).to.equal('Introuvable')
    expect((await open('/show?lang=en', french)).headers['content-language']).to.equal('en')
    expect((await open('/show?lang=xx', french)).headers['content-language']).to.equal('fr')
  })

  it('speak plainly, and say nothing of what is for developers, in any language', async () => {
    problem = createProblem('INVALID_REQUEST', 'The size is <wrong>.')
    expect((await open('/show')).text)
      .to.contain('<p>It is incomplete or contains an error.</p>')
      .and.not.to.contain('size')
    const answer = await open('/show?lang=es')
    expect(heading(answer)).to.equal('Solicitud incorrecta')
    expect(answer.text).to.contain('<p>Esta dirección está incompleta o contiene un error.</p>')
    expect(answer.text).not.to.contain('size')
  })

  it('have the words of the family of their status where it has none of its own', async () => {
    problem = createProblem('MISDIRECTED_REQUEST', 'Elsewhere.')
    expect(heading(await open('/show?lang=fr'))).to.equal('Demande incorrecte')
  })

  it('are in a language of the console on the pages of members, with the detail of the problem', async () => {
    problem = createProblem('APPLICATION_SLUG_TAKEN', 'There is no <b>.')
    for (const [preferred, language] of [
      ['fr', 'fr'],
      ['de', 'en'],
    ] as const) {
      const answer = await open('/manage', { 'accept-language': preferred })
      expect([answer.status, answer.headers['content-language']]).to.deep.equal([409, language])
      expect(answer.text).to.contain('<p lang="en">There is no &lt;b&gt;.</p>')
    }
  })
})
