import { answerBytes } from '../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { findApplication, toPlainSlug } from '../../applications/index.ts'
import { passType } from './apple/press.ts'
import { makePassOf } from './apple/presses.ts'
import { ensureOwnCard } from './cards.ts'
import { readContentsOf } from './content.ts'
import { readWalletCredentials } from './credentials.ts'

const downloadPass = declareOperation({
  id: 'get_apple_loyalty_pass_v1',
  method: 'GET',
  path: '/v1/apple-wallet/loyalty-pass',
  access: 'endUser',
  returns: { 200: { type: passType, description: 'The card as a file that the wallet takes.', isBinary: true } },
  problemCodes: ['NOT_FOUND', 'WALLET_NOT_CONFIGURED'],
  document: {
    tag: 'Cards',
    summary: 'Get the card for Apple Wallet',
    description: 'Of the signed-in person. A phone that opens it offers to add it.',
  },
}).withReadHandler(async ({ caller, work: { context } }) => {
  const { db } = context
  const application = await findApplication(db, caller.application)
  if (!application) throw createNotFoundProblem()
  // What cannot be issued leaves nothing behind.
  await readWalletCredentials(db, context, application, 'apple-wallet')
  const card = await db.transaction((trx) => ensureOwnCard(trx, context, caller, 'apple-wallet'))
  const [content] = await readContentsOf(db, [card])
  if (!content) throw createNotFoundProblem()
  const file = await makePassOf(db, context, { card, content, application })
  return answerBytes(file, passType, {
    'Content-Disposition': `attachment; filename="${toPlainSlug(application.slug) || 'card'}.pkpass"`,
    'Cache-Control': 'private, no-store',
  })
})

export const issueOperations: Operation[] = [downloadPass]
