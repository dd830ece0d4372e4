import type { Answer } from '../../../kernel/answer.ts'
import { readAccount } from '../../../features/loyalty/index.ts'
import type { PointsForm } from './account.views.ts'
import { getAccountTitle } from './accounts.views.ts'
import { renderQuestion } from '../frame/forms.views.ts'
import { renderFramed, type ConsolePage } from '../frame/frame.ts'
import { formatPoints } from '../frame/lists.views.ts'

/** The page that says what becomes of an account's points when a change is booked. */
export async function renderPointsQuestion(page: ConsolePage, id: string, form: PointsForm): Promise<Answer> {
  const { work, member, words, language } = page
  const { account: phrases } = words
  const account = await readAccount(work, member, id)
  const { change, amount, reason } = form
  const balance = BigInt(account.loyalty.optimisticBalance)
  const after = change === 'mint' ? balance + BigInt(amount) : balance - BigInt(amount)
  const points = formatPoints(amount, language)
  const [now, then] = [formatPoints(String(balance), language), formatPoints(String(after), language)]
  const title = phrases.bookTitles[change](points, getAccountTitle(account, words))
  const content = renderQuestion(
    {
      title,
      consequences: [
        after < 0n ? phrases.tooFew(now) : phrases.balanceAfter(now, then),
        phrases.reasonRead(reason),
        phrases.bookFinal,
      ],
      button: phrases.bookButtons[change],
      action: `/console/accounts/${id}/points`,
      back: `/console/accounts/${id}`,
      fields: { ...form, act: 'book' },
      isHarmless: change === 'mint',
      problem: undefined,
    },
    words,
  )
  return renderFramed(page, { title, wide: false }, content)
}
