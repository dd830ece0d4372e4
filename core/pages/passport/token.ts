import { findPassportByToken, readPassportView } from '../../features/dpp/index.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { object, string, Type } from '../../kernel/schema.ts'

const TokenMetadata = object(
  {
    name: string('Name of the product.'),
    description: string('One sentence for wallets.'),
    external_url: string('Public page of the passport.'),
    image: Type.Optional(string('Picture of the product.')),
  },
  { title: 'TokenMetadata', description: 'What wallets show of a token. Source: ERC-721, metadata extension.' },
)

/** The operation that `tokenURI` of the contract points at. */
export const tokenMetadata: Operation = declareOperation({
  id: 'get_token_metadata_v1',
  method: 'GET',
  path: '/t/:tokenId',
  access: { rule: 'public', isOpenToAllOrigins: true },
  params: { tokenId: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: '0x and 64 hexadecimal digits.' }) },
  returns: { 200: TokenMetadata },
  transport: { headers: { 'Cache-Control': 'public, max-age=60' } },
  document: { tag: 'Pages', summary: 'Metadata of a token', isHidden: true },
}).withReadHandler(async ({ params, work }) => {
  const id = await findPassportByToken(work.trx, params.tokenId)
  const view = id === null ? null : await readPassportView(work.trx, id)
  if (!view) throw createNotFoundProblem()
  return {
    name: view.title,
    description: `Product passport of ${view.application.title}.`,
    external_url: `${work.context.settings.publicUrl}/p/${view.passport.id}`,
    ...(view.image && { image: view.image }),
  }
})
