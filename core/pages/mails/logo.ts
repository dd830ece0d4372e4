import { readLogoForm } from '../../features/dpp/index.ts'
import { declareOperation, type Operation } from '../../kernel/operation.ts'
import { uuid } from '../../kernel/schema.ts'
import { answerSize, getSizeHash, sizeName } from '../site/served-files.ts'

/** The logo of an application in one size, for mails, which belong to no passport. */
const logoOperation = declareOperation({
  id: 'asset_logo_v1',
  method: 'GET',
  path: '/assets/logos/:id/:name',
  access: 'public',
  params: {
    id: uuid('The application.'),
    name: sizeName,
  },
  returns: { 200: { type: 'image/webp', description: 'The picture.' } },
  document: { tag: 'Pages', summary: 'The logo of an application in one size', isHidden: true },
}).withReadHandler(async ({ params: { id, name }, work: { context } }) =>
  answerSize(await readLogoForm(context.db, id, getSizeHash(name))),
)

export const logoOperations: Operation[] = [logoOperation]
