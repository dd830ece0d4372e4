import { AcceptedJob } from '../../../kernel/job.ts'
import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { negotiateLanguage } from '../../../kernel/text/languages.ts'
import { languages } from '../../../languages/index.ts'
import { acceptOffer, declineOffer, offerPassport, withdrawOffer } from './offers.ts'
import { readOwnOffer } from './offers.reads.ts'
import { NewTransfer, Transfer, TransferAnswer } from './offers.schema.ts'

const tag = 'Claims'
const path = '/v1/dpp/passports/:id/transfer'

const offer = declareOperation({
  id: 'offer_dpp_passport_v1',
  method: 'POST',
  path,
  access: 'endUser',
  body: NewTransfer,
  returns: { 201: Transfer },
  transport: { location: ({ passport }: Transfer) => `/v1/dpp/passports/${passport}/transfer` },
  problemCodes: [
    'NOT_FOUND',
    'DPP_TRANSFER_NOT_ALLOWED',
    'DPP_PASSPORT_NOT_TRANSFERABLE',
    'AUTH_FRESH_CODE_REQUIRED',
    'RATE_LIMITED',
  ],
  document: {
    tag,
    summary: 'Pass a passport on',
    description:
      'For the owner of a passport, whose session has a code of the last 10 minutes. Whoever gets it is sent a message '
      + 'with a link, good for 14 days, in the language that `Accept-Language` prefers. A passport has one open offer at '
      + 'a time. At most 3 such messages a day go to one address, 200 for one organization, and 10 of one person. '
      + 'The answer is the same whether anybody is known by that address or not.',
  },
}).withTransactionHandler(({ body, caller, params, request, work }) =>
  offerPassport(work, caller, params.id, body, negotiateLanguage(languages, request.headers['accept-language'])),
)

const read = declareOperation({
  id: 'get_dpp_passport_offer_v1',
  method: 'GET',
  path,
  access: 'endUser',
  returns: { 200: Transfer },
  problemCodes: ['NOT_FOUND'],
  document: {
    tag,
    summary: 'Read the newest offer of a passport',
    description: 'For whoever made it, and for whoever has the e-mail address or phone number that it names.',
  },
}).withReadHandler(({ caller, params, work }) => readOwnOffer(work.trx, caller, params.id))

const withdraw = declareOperation({
  id: 'withdraw_dpp_passport_offer_v1',
  method: 'DELETE',
  path,
  access: 'endUser',
  returns: { 204: null },
  problemCodes: ['NOT_FOUND', 'DPP_TRANSFER_NOT_ALLOWED', 'DPP_TRANSFER_NOT_OPEN'],
  document: {
    tag,
    summary: 'Take back an offer',
    description: 'Its link stops working. An offer that was accepted cannot be taken back.',
  },
}).withTransactionHandler(({ caller, params, work }) => withdrawOffer(work, caller, params.id))

const accept = declareOperation({
  id: 'accept_dpp_passport_offer_v1',
  method: 'POST',
  path: `${path}/accept`,
  access: 'endUser',
  body: TransferAnswer,
  returns: { 202: AcceptedJob },
  problemCodes: [
    'DPP_TRANSFER_TOKEN_INVALID',
    'NOT_FOUND',
    'DPP_TRANSFER_NOT_ALLOWED',
    'DPP_PASSPORT_NOT_TRANSFERABLE',
    'QUOTA_EXCEEDED',
  ],
  document: {
    tag,
    summary: 'Accept a passport',
    description:
      'For the person whose verified e-mail or phone the offer names, with the token of its link. The job moves the '
      + 'token to their wallet; `GET /v1/dpp/claim/{jobId}/status` tells how far it is, and its result is `{transactionHash, tokenId, passport}`.',
  },
}).withTransactionHandler(({ body, caller, params, work }) => acceptOffer(work, caller, params.id, body.token))

const decline = declareOperation({
  id: 'decline_dpp_passport_offer_v1',
  method: 'POST',
  path: `${path}/decline`,
  access: 'endUser',
  body: TransferAnswer,
  returns: { 204: null },
  problemCodes: ['DPP_TRANSFER_TOKEN_INVALID', 'NOT_FOUND', 'DPP_TRANSFER_NOT_ALLOWED'],
  document: { tag, summary: 'Decline a passport', description: 'The offer ends; the passport stays with its owner.' },
}).withTransactionHandler(({ body, caller, params, work }) => declineOffer(work, caller, params.id, body.token))

export const offerOperations: Operation[] = [offer, read, withdraw, accept, decline]
