import { answerBytes } from '../../../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../../../kernel/operation.ts'
import { createNotFoundProblem } from '../../../../kernel/problem.ts'
import { optional, string } from '../../../../kernel/schema.ts'
import { makeLogo } from './logo.ts'

/** Fetched by Google, which keeps it. */
const getLogo = declareOperation({
  id: 'get_google_wallet_logo_v1',
  method: 'GET',
  path: '/v1/google-wallet/logos/:applicationId',
  access: 'public',
  query: { logo: optional(string('SHA-256 of the logo, in hexadecimal.', { pattern: '^[0-9a-f]{64}$' })) },
  returns: { 200: { type: 'image/png', description: 'The picture.', isBinary: true } },
  problemCodes: ['NOT_FOUND'],
  transport: { headers: { 'Cache-Control': 'public, max-age=86400' } },
  document: { tag: 'Cards', summary: 'The picture of a card for Google Wallet', isHidden: true },
}).withReadHandler(async ({ params, query, work }) => {
  const picture = await makeLogo(work.context.db, params.applicationId, query.logo ?? null)
  if (!picture) throw createNotFoundProblem()
  return answerBytes(picture, 'image/png')
})

export const googleLogoOperations: Operation[] = [getLogo]
