import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { object, string } from '../../../../kernel/schema.ts'
import { createOwnSaveLink } from './pass.ts'

const GoogleWalletPass = object(
  {
    url: string('Opens Google Wallet, which asks the person whether to save the card.', {
      format: 'uri',
      examples: ['https://pay.google.com/gp/v/save/eyJhbGciOiJSUzI1NiJ9.e30.c2lnbmF0dXJl'],
    }),
  },
  { title: 'GoogleWalletPass', description: 'The card of a buyer, for Google Wallet.' },
)

const getGooglePass = declareOperation({
  id: 'get_google_wallet_pass_v1',
  method: 'GET',
  path: '/v1/google-wallet/loyalty-pass',
  access: 'endUser',
  returns: { 200: GoogleWalletPass },
  problemCodes: ['WALLET_NOT_CONFIGURED'],
  document: {
    tag: 'Cards',
    summary: 'Get the card for Google Wallet',
    description:
      'A link to save the card of the signed-in buyer. Saving it opts in to messages of campaigns, deleting it from the wallet opts out.',
  },
}).withOutboundHandler(async ({ caller, context }) => ({ url: await createOwnSaveLink(context, caller) }))

export const googlePassOperations: Operation[] = [getGooglePass]
