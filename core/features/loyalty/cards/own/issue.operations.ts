import { answerBytes } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { passType } from '../apple/press.ts'
import { makeOwnPass } from './apple-pass.ts'

const downloadPass = declareOperation({
  id: 'get_apple_loyalty_pass_v1',
  method: 'GET',
  path: '/v1/apple-wallet/loyalty-pass',
  access: 'endUser',
  returns: { 200: { type: passType, description: 'The card as a file that the wallet takes.', isBinary: true } },
  problemCodes: ['WALLET_NOT_CONFIGURED'],
  document: {
    tag: 'Cards',
    summary: 'Get the card for Apple Wallet',
    description: 'Of the signed-in person. A phone that opens it offers to add it.',
  },
}).withReadHandler(async ({ caller, work: { context } }) => {
  const { body, type, headers } = await makeOwnPass(context, caller)
  return answerBytes(body, type, headers)
})

export const issueOperations: Operation[] = [downloadPass]
