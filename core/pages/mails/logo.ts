import { readLogoForm } from '../../features/dpp/index.ts'
import { answerBytes } from '../../kernel/answer.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { createNotFoundProblem } from '../../kernel/problem.ts'
import { string, uuid } from '../../kernel/schema.ts'

/**
 * The logo of an application in one size, for mails, which belong to no passport. The address names a hash of the content,
 * so that it never changes. A picture does nothing by itself, also where a browser opens it alone.
 */
const logoOperation = declareOperation({
  id: 'asset_logo_v1',
  method: 'GET',
  path: '/assets/logos/:id/:name',
  access: 'public',
  params: {
    id: uuid('The application.'),
    name: string('SHA-256 of the picture in hexadecimal, with its ending.', { pattern: '^[0-9a-f]{64}[.]webp$' }),
  },
  returns: { 200: { type: 'image/webp', description: 'The picture.' } },
  document: { tag: 'Pages', summary: 'The logo of an application in one size', isHidden: true },
}).withReadHandler(async ({ params: { id, name }, work: { context } }) => {
  const picture = await readLogoForm(context.db, id, name.replace('.webp', ''))
  if (!picture) throw createNotFoundProblem()
  return answerBytes(picture, 'image/webp', {
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'public, max-age=31536000, immutable',
  })
})

export const logoOperations: Operation[] = [logoOperation]
