import { expect } from 'chai'
import { operations } from '../../core/app/operations.ts'
import type { OperationDeclaration } from '../../core/kernel/operation.ts'
import { createEmail, signInBuyer, signInMember } from '../core/identity/people.ts'
import { createApiClient, type Client } from '../support/client.ts'
import { platform } from '../support/platform.ts'
import { createMinimalValue } from '../support/values/minimal-value.ts'
import { buildShop } from '../support/world.ts'
import { absentId } from './operations.ts'

/** Pages for whoever is not signed in yet, and those of a member for whom no organization is active. */
const openPages = ['console_sign_in_page_v1', 'console_language_page_v1']
const signOutPage = 'console_sign_out_page_v1'
const pagesWithoutOrganization = [
  ...openPages,
  'console_organizations_page_v1',
  'console_organization_new_page_v1',
  'console_legal_page_v1',
  'console_sessions_page_v1',
  'console_sessions_end_question_v1',
  'console_sessions_end_page_v1',
  'console_sign_in_again_page_v1',
  'console_code_again_page_v1',
  signOutPage,
]

/** The pages of the console. Signing out comes last, because it ends the session. */
const pages = operations
  .map(({ declaration }) => declaration)
  .filter(({ path }) => /^\/console(\/|$)/.test(path))
  .sort((a, b) => Number(a.id === signOutPage) - Number(b.id === signOutPage))

/** The least form that the page takes, without what its members refer to. */
function createForm({ body }: OperationDeclaration): string {
  const value = body ? (createMinimalValue(body as never, {} as never, 0) as Record<string, unknown>) : {}
  return new URLSearchParams(
    Object.fromEntries(Object.entries(value).map(([name, field]) => [name, String(field)])),
  ).toString()
}

/** Asks for a page as a browser does. */
const open = (client: Client, page: OperationDeclaration) => {
  const isForm = page.method !== 'GET'
  return client.send(page.method, page.path.replace(/:\w+/g, absentId), undefined, {
    ...(isForm && { raw: createForm(page) }),
    headers: {
      ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }),
      origin: new URL(platform.api).origin,
    },
    skipsDocumentCheck: true,
  })
}

describe('Access rules of every page of the console', function () {
  this.timeout(240_000)
  let callers: Record<'nobody' | 'key' | 'buyer' | 'newcomer', Client>
  before(async () => {
    const shop = await buildShop()
    const buyer = await signInBuyer(shop.application)
    callers = {
      nobody: createApiClient(),
      key: createApiClient(shop.key),
      buyer: createApiClient({ bearer: String(buyer.body['token']) }),
      newcomer: createApiClient({ cookie: await signInMember(createEmail('newcomer')) }),
    }
  })

  /** The pages that answer other than with the way to what is missing, or a refusal. */
  async function listOpenPages(client: Client, way: RegExp): Promise<string[]> {
    const found: string[] = []
    for (const page of pages) {
      const { status, headers } = await open(client, page)
      const isShownTheWay = status === 303 && way.test(String(headers['location']))
      if (!isShownTheWay && !(status >= 400 && status < 500)) found.push(page.id)
    }
    return found
  }

  it('has some hundred pages', () => expect(pages.length).to.be.greaterThan(100))

  for (const name of ['nobody', 'key', 'buyer'] as const)
    it(`shows ${name === 'nobody' ? name : `a ${name}`} the sign-in, and nothing else`, async () => {
      expect(await listOpenPages(callers[name], /^\/console\/sign-in(\?|$)/)).to.have.members(openPages)
    })

  it('shows a member of no organization the choice of one, and nothing else', async () => {
    const found = await listOpenPages(callers.newcomer, /^\/console\/organizations\?/)
    expect(found).to.have.members(pagesWithoutOrganization)
  })
})
