import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { negotiateLanguage } from '../../../kernel/text/languages.ts'
import { languages } from '../../../languages/index.ts'
import { NewClaimRequest } from './requests.schema.ts'
import { requestPassport } from './requests.ts'

const request = declareOperation({
  id: 'request_dpp_passport_v1',
  method: 'POST',
  path: '/v1/dpp/claim/requests',
  access: 'endUser',
  body: NewClaimRequest,
  returns: { 204: null },
  problemCodes: ['NOT_FOUND', 'DPP_PASSPORT_NOT_CLAIMABLE', 'RATE_LIMITED'],
  document: {
    tag: 'Claims',
    summary: 'Ask for a passport',
    description:
      'For a buyer who holds an item whose passport names neither their e-mail nor their phone. Members of the '
      + 'organization see it in the console, and an event `update` says that there is something. Whoever asked gets a '
      + 'message with a link if they approve. At most 5 requests a day are taken from one person; asking again for the '
      + 'same passport replaces what was said.',
  },
}).withTransactionHandler(({ body, caller, request: { headers }, work }) =>
  requestPassport(work, caller, body, negotiateLanguage(languages, headers['accept-language'])),
)

export const requestOperations: Operation[] = [request]
