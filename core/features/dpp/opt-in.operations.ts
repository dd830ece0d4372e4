import { operation, type Operation } from '../../kernel/operation.ts'
import { mostCharacters } from './opt-in.rules.ts'
import { NewOptInForm, OptInForm } from './opt-in.schema.ts'
import { keepOptInForm } from './opt-in.ts'

const upload = operation({
  id: 'upload_dpp_opt_in_form_v1',
  method: 'POST',
  path: '/v1/dpp/opt-in-forms',
  summary: 'Upload an opt-in form',
  description:
    'Keeps a file on IPFS and answers its address, for `data.opt_in_form` of a passport. No place for secrets: ' +
    'whoever knows the address can read it.',
  tag: 'Passports',
  access: 'dpp:create',
  body: NewOptInForm,
  // The content, and what stands around it.
  bodyLimit: mostCharacters + 64 * 1024,
  returns: { 201: OptInForm },
  problems: ['NOT_FOUND'],
  mcp: 'upload_dpp_opt_in_form',
  hints: { idempotentHint: true, openWorldHint: true },
}).performedBy(async ({ body, work, finish }) => {
  const form = await keepOptInForm(work, body)
  return finish(async () => form)
})

export const optInOperations: Operation[] = [upload]
