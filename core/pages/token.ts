import { passportOfToken, passportView } from '../features/dpp/index.ts'
import { operation, type Operation } from '../kernel/operation.ts'
import { notFound } from '../kernel/problem.ts'
import { object, string, Type } from '../kernel/schema.ts'

const Metadata = object({
  name: string('Name of the product.'),
  description: string('One sentence for wallets.'),
  external_url: string('Public page of the passport.'),
  image: Type.Optional(string('Picture of the product.')),
}, { title: 'TokenMetadata', description: 'What wallets show of a token. Source: ERC-721, metadata extension.' })

/** What `tokenURI` of the contract points at. */
export const tokenMetadata: Operation = operation({
  id: 'get_token_metadata_v1', method: 'GET', path: '/t/:tokenId', summary: 'Metadata of a token', tag: 'Pages', access: 'public', hidden: true, cors: true,
  params: { tokenId: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: '0x and 64 hexadecimal digits.' }) },
  returns: { 200: Metadata }, headers: { 'Cache-Control': 'public, max-age=60' },
}).readBy(async ({ params, work }) => {
  const id = await passportOfToken(work.trx, params.tokenId)
  const view = id === null ? null : await passportView(work.trx, id)
  if (!view) throw notFound()
  return {
    name: view.title, description: `Product passport of ${view.application.title}.`,
    external_url: `${work.context.settings.publicUrl}/p/${view.passport.id}`, ...(view.image && { image: view.image }),
  }
})
