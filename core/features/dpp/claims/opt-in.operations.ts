import { declareOperation, type Operation } from '../../../kernel/operation.ts'
import { maxBase64Length } from './opt-in.rules.ts'
import { NewOptInForm, OptInForm } from './opt-in.schema.ts'
import { storeOptInForm } from './opt-in.ts'

const upload = declareOperation({
  id: 'upload_dpp_opt_in_form_v1',
  method: 'POST',
  path: '/v1/dpp/opt-in-forms',
  access: 'dpp:create',
  body: NewOptInForm,
  returns: { 201: OptInForm },
  problemCodes: ['NOT_FOUND'],
  transport: {
    // The content, and space for the rest of the body.
    maxBodyBytes: maxBase64Length + 64 * 1024,
  },
  document: {
    tag: 'Passports',
    summary: 'Upload an opt-in form',
    description: 'Puts a file on IPFS for `data.opt_in_form`, public by its address. No secrets.',
    mcpName: 'upload_dpp_opt_in_form',
    mcpHints: { idempotentHint: true, openWorldHint: true },
  },
}).withOutboundHandler(async ({ body, work, finish }) => {
  const form = await storeOptInForm(work, body)
  return finish(async () => form)
})

export const optInOperations: Operation[] = [upload]
