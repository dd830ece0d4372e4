import { answerRedirect, isAnswer } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { searchPassports, type PassportSearch } from '../../../features/dpp/index.ts'
import { listAccounts, type Account } from '../../../features/loyalty/index.ts'
import { may, memberPageOptions, searchPath } from '../console.ts'
import { openPage, renderFramed, type ConsolePage } from '../frame/frame.ts'
import { createFilter, createPageRequest, textField } from '../frame/lists.ts'
import { renderSearch } from './search.views.ts'
import { searchWords } from './words.ts'

const noPassports: PassportSearch = { passports: [], isExact: false, hasMore: false }

/**
 * Finds passports and accounts as far as the member may read them. If the text leads to exactly one, the answer leads to
 * its page.
 */
const searchOperation = declareOperation({
  id: 'console_search_page_v1',
  method: 'GET',
  path: searchPath,
  ...memberPageOptions,
  query: { q: textField('An id, a reference, a number, a token or a name; or an e-mail address.') },
  document: { tag: 'Pages', summary: 'Find a passport or an account' },
}).withReadHandler(async (input) => {
  const page = openPage(input, searchPath, 'organization:read')
  if (isAnswer(page)) return page
  // PostgreSQL takes no text with NUL, and nothing has a name with it.
  const text = (input.query.q ?? '').replaceAll('\0', '').trim()
  const [found, accounts] =
    text === '' ? [noPassports, []] : await Promise.all([findPassports(page, text), findAccounts(page, text)])
  const exact = [
    ...(found.isExact ? found.passports.map(({ id }) => `/console/passports/${id}`) : []),
    ...accounts.map(({ id }) => `/console/accounts/${id}`),
  ]
  const [only, ...others] = exact
  if (only !== undefined && others.length === 0) return answerRedirect(only, undefined, 303)
  const { title, titleOf } = searchWords[page.language]
  const mayRead = { passports: may(page.member, 'dpp:read'), accounts: may(page.member, 'loyalty:read') }
  const content = renderSearch(page, { text, found, accounts, mayRead })
  return renderFramed(page, { title: text === '' ? title : titleOf(text) }, content)
})

const findPassports = async ({ member, work }: ConsolePage, text: string): Promise<PassportSearch> =>
  may(member, 'dpp:read') ? searchPassports(work, member, text) : noPassports

/** Finds the accounts of a person by their whole e-mail address: one in each application that they have come to. */
async function findAccounts({ member, work }: ConsolePage, text: string): Promise<Account[]> {
  if (!text.includes('@') || !may(member, 'loyalty:read')) return []
  const { data } = await listAccounts(work, member, createPageRequest(createFilter('user.email', 'eq', text)))
  return data
}

export const searchPages: Operation[] = [searchOperation]
